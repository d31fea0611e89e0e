import { createHmac } from 'node:crypto'
import type { PostbackCheck } from '@lead-distribution/contract/diagnostics'
import { describe, expect, it } from 'vitest'
import { type ExplainOptions, explainPostbackUrl } from './explain-postback-url.ts'
import { PostbackUrl } from './postback-url.ts'

const origin = 'https://acme.example.com'
const baseUrl = `${origin}/api/v1`
const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const other_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c12'
const bare = `${baseUrl}/lead/${lead_id}/status`
const right = `${bare}?token=hunter2`
const advertiser_id = '30000000-0000-4000-8000-000000000001'
const secret = 'c2hhcmVkIHNlY3JldA'

const explain = (raw: string, more: Partial<ExplainOptions> = {}) => explainPostbackUrl(raw, { baseUrl, ...more })
async function found(raw: string, check: PostbackCheck, more: Partial<ExplainOptions> = {}) {
  const findings = await explain(raw, more)
  const finding = findings.find(each => each.check === check)
  return finding && `${finding.verdict}: ${finding.message}`
}

it('finds nothing wrong with a URL as it was delivered, check by check', async () => {
  const findings = await explain(right)
  expect(findings.map(({ check, verdict }) => `${check} ${verdict}`)).toEqual([
    'url ok',
    'origin ok',
    'path ok',
    'lead ok',
    'key ok',
    'token ok',
    'event ok',
    'parameters ok',
  ])
  expect(findings.find(({ check }) => check === 'event')?.message).toContain('appended when the URL is fired')
})

describe('the address', () => {
  it.each<[string, PostbackCheck, RegExp]>([
    [`/api/v1/lead/${lead_id}/status?token=t`, 'url', /^wrong: The text is no absolute URL: write the base address/],
    ['acme.example.com/api', 'url', /^wrong: The text is no absolute URL: write http/],
    [`https:/acme.example.com/lead`, 'url', /^wrong: The text is no absolute URL/],
    [`"${right}"`, 'url', /^wrong: The URL has quotes/],
    [encodeURIComponent(right), 'url', /^wrong: The URL is percent-encoded as a whole/],
    [`${right}\n`, 'url', /^wrong: The URL has spaces around it/],
    [`${right}#`, 'url', /^wrong: The postback URL has credentials or a fragment/],
    [`${right}#x`, 'url', /^wrong: The URL has a #/],
    [`${right}ñ`, 'url', /^wrong: The URL holds letters beyond ASCII/],
    [right.replace('//', '//u:p@'), 'url', /^wrong: The URL has a user name/],
    [right.replace('/lead', '/x/../lead'), 'url', /^wrong: The postback URL does not have the path/],
    [right.replace('https', 'http'), 'origin', /^wrong: The scheme is http/],
    [right.replace('.com', '.com:8443'), 'origin', /^wrong: The port is another one/],
    [right.replace('acme', 'other'), 'origin', /^wrong: The host is another one: the base address is https:/],
    [
      right.replace('acme', 'sandbox'),
      'origin',
      /^wrong: The host is another one and looks like a sandbox: .*, production,/,
    ],
    [right.replace('https://acme.example.com', 'http://127.0.0.1:4010'), 'origin', /^wrong: The host is another one: /],
    [right.replace('/api/v1', ''), 'path', /^wrong: The path lacks \/api\/v1/],
    [right.replace('/v1/', '/v2/'), 'path', /^wrong: The path is of another version/],
    [right.replace('/status', '/status/'), 'path', /^wrong: The path ends with a slash/],
    [right.replace(lead_id, '{lead_id}'), 'lead', /^wrong: The lead_id is a place-holder/],
    [right.replaceAll('-', ''), 'lead', /^wrong: The lead_id is no UUID: it is written with hyphens/],
  ])('%s', async (raw, check, message) => {
    expect(await found(raw, check)).toMatch(message)
    expect(() => PostbackUrl.parse(raw, { baseUrl })).toThrow()
  })

  it.each([
    ['https://sandbox.example.com/api/v1', /looks like production: .*, a sandbox,/],
    ['http://127.0.0.1:4010/api/v1', /looks like production: .*, a sandbox,/],
  ])('of production is reported where the base address is the sandbox %s', async (sandbox, message) => {
    expect(await found(right, 'origin', { baseUrl: sandbox })).toMatch(message)
  })
})

describe('the query', () => {
  it.each<[string, PostbackCheck, RegExp, Partial<ExplainOptions>?]>([
    ['', 'token', /^wrong: The parameter `token` is missing: use/],
    ['?Token=t', 'token', /^wrong: .* but one has a similar name/],
    ['?token=%25%25TOKEN%25%25', 'token', /^wrong: The token is a place-holder/],
    ['?token=sandbox_adv_demo_1', 'token', /^wrong: The token is an API key/],
    ['?token=a%2520b', 'token', /^warning: The token perhaps was URL-encoded twice/],
    ['?token=a+b', 'token', /^warning: The token perhaps lost a plus sign/],
    ['?token=%20a', 'token', /^warning: The token perhaps has spaces/],
    ['?token=%22a%22', 'token', /^warning: The token perhaps has quotes/],
    ['?token=t&event=aproved', 'event', /^wrong: The event is unknown, did you mean `approved`\?/],
    ['?token=t&event=converted', 'event', /^wrong: The pixel does not take converted/],
    ['?token=t&event={event}', 'event', /^wrong: The event is a place-holder/],
    ['?token=t&Event=approved', 'event', /^warning: The parameter `event` is missing, but one has a similar name/],
    ['?token=t&event=loan_paid', 'event', /^ok: The event is loan_paid, another name of completed/],
    ['?token=t&event=loan_paid', 'event', /^warning: .* calls it completed\.$/, { vocabulary: 'enum' }],
    ['?token=t&event=approved', 'event', /^warning: .* calls it loan_issued\.$/, { vocabulary: 'usage' }],
    ['?token=t&event=approved', 'event', /^ok/, { vocabulary: 'any' }],
    ['?token=t&amp;event=approved', 'parameters', /^warning: The URL was copied from HTML/],
    ['?token=t&token=t', 'parameters', /^wrong: Each parameter may appear once: `token` is/],
    ['?token=t&sub_id=1', 'parameters', /^warning: The pixel ignores all parameters but/],
    ['?token=t&ref=[ref]', 'ref', /^warning: `ref` is a place-holder/],
    ['?token=t&apikey=k', 'key', /^wrong: The URL holds an apikey/],
    ['?token=t&api_key=k', 'key', /^warning: The URL seems to hold an API key/],
  ])('%s', async (query, check, message, more) => {
    expect(await found(`${bare}${query}`, check, more)).toMatch(message)
  })
})

describe('the token, with the shared secret', () => {
  const sign = (joiner = ':', hash = 'sha256', key: string | Buffer = secret, id = lead_id) =>
    createHmac(hash, key).update(`${id}${joiner}${advertiser_id}`).digest()
  const tokenFinding = (token: string, more: Partial<ExplainOptions> = {}) =>
    found(`${bare}?token=${token}`, 'token', { secret, advertiser_id, ...more })
  const plain = { hash: 'SHA-256', joiner: ':', encoding: 'hex' } as const

  it('is right, in either letter case of the lead', async () => {
    const token = sign().toString('hex')
    expect(await tokenFinding(token, plain)).toBe('ok: It is the token of this advertiser for this lead.')
    const capitals = `${baseUrl}/lead/${lead_id.toUpperCase()}/status?token=${token}`
    expect(await found(capitals, 'token', { secret, advertiser_id, ...plain })).toMatch(/^ok/)
  })

  it('is right by any format that is not set, which is reported', async () => {
    expect(await tokenFinding(sign('|', 'sha512').toString('base64url'))).toBe(
      'ok: It is the token of this advertiser for this lead, by HMAC-SHA-512, the joiner "|" and base64url.',
    )
    expect(await tokenFinding(encodeURIComponent(sign('', 'sha384').toString('base64')), { hash: 'SHA-384' })).toMatch(
      /^ok/,
    )
  })

  it.each<[RegExp, string]>([
    [
      /^wrong: The token was made for this advertiser, but by SHA-512 instead of SHA-256\.$/,
      sign(':', 'sha512').toString('hex'),
    ],
    [/but by SHA-384 instead of SHA-256, joined by "\."\.$/, sign('.', 'sha384').toString('hex')],
    [/but without a joiner, encoded as base64url instead of hex\.$/, sign('').toString('base64url')],
    [
      /but with the secret decoded from base64 first\.$/,
      sign(':', 'sha256', Buffer.from(secret, 'base64')).toString('hex'),
    ],
    [
      /was URL-encoded twice/,
      sign()
        .toString('hex')
        .replace(/^./, first => `%25${first.charCodeAt(0).toString(16)}`),
    ],
    [/is cut short: it has 63 of 64/, sign().toString('hex').slice(0, -1)],
    [/^wrong: The token is the postback secret itself/, secret],
    [/made with another secret or changed on its way/, sign(':', 'sha256', 'another').toString('hex')],
    [/^wrong: The token is of no advertiser that has the lead: it is HMAC-SHA-256 over/, 'x'],
  ])('%s', async (message, token) => {
    expect(await tokenFinding(token, plain)).toMatch(message)
  })

  it.each([
    ['a plain mistake', sign(':', 'sha1').toString('hex'), /but by SHA-1 instead/],
    [
      'another secret',
      sign(':', 'sha256', 'another').toString('hex'),
      /no usual hash, joiner and encoding leads to it/,
    ],
  ])('is wrong by every format for %s', async (_name, token, message) => {
    expect(await tokenFinding(token)).toMatch(message)
  })

  it("is reported as another lead's, by the format that is set and by any", async () => {
    const token = sign(':', 'sha256', secret, other_id).toString('hex')
    const dotted = sign('.', 'sha512', secret, other_id).toString('base64url')
    expect(await tokenFinding(token, { ...plain, lead_ids: [lead_id, other_id] })).toMatch(
      /^wrong: .* for another lead/,
    )
    expect(await tokenFinding(dotted, { lead_ids: [other_id] })).toMatch(/^wrong: .* for another lead/)
    expect(await tokenFinding(dotted, { lead_ids: [] })).toMatch(/^wrong: .* of no advertiser/)
  })

  it('is not checked where the lead is none', async () => {
    const raw = `${baseUrl}/lead/42/status?token=${sign().toString('hex')}`
    expect(await found(raw, 'token', { secret, advertiser_id })).toBe(
      'ok: There is a token. It cannot be checked without a lead_id.',
    )
  })

  it('demands the secret and the advertiser together, a format that is known and a base address', async () => {
    const wrong: object[] = [{ secret }, { advertiser_id }, { secret: '', advertiser_id }, { baseUrl: 'x' }]
    for (const more of [...wrong, { secret, advertiser_id, hash: 'sha256' }])
      await expect(explain(right, more)).rejects.toMatchObject({ code: 'config' })
  })
})

function parses(raw: string): boolean {
  try {
    return PostbackUrl.parse(raw, { baseUrl }) instanceof PostbackUrl
  } catch {
    return false
  }
}

describe('any text', () => {
  const heads = [
    '',
    right,
    bare,
    `${baseUrl}/lead/`,
    `${origin}:`,
    `${bare}?token=`,
    `${right}&event=`,
    `${right}&ref=${'r'.repeat(255)}`,
  ]
  const pieces = [
    ...`"'<>%&=?#+~;:/\\ \n`,
    '',
    'é',
    '\ud800',
    '%25',
    '%zz',
    '..',
    '&amp;',
    'event=',
    'token=',
    '{x}',
    'sandbox_',
    lead_id,
  ]
  const texts = heads.flatMap(head => pieces.flatMap(one => pieces.map(two => `${head}${one}${two}`)))

  it('gets findings, and none that is wrong just where parse takes it', { timeout: 60_000 }, async () => {
    let taken = 0
    for (const raw of texts) {
      const wrong = (await explain(raw)).filter(({ verdict }) => verdict === 'wrong').map(({ check }) => check)
      if (parses(raw)) expect(wrong, raw).toEqual([])
      else expect(wrong, raw).not.toEqual([])
      if (wrong.length === 0) taken += 1
    }
    expect(taken).toBeGreaterThan(100)
  })

  it('is reported as none where it is no text at all', async () => {
    for (const value of [undefined, null, 7, {}]) expect((await explain(value as never))[0]?.verdict).toBe('wrong')
  })

  it('is not repeated where it may be a token, a key or a secret', async () => {
    const hidden = ['hunter2', secret]
    for (const token of [...hidden, `${secret}x`, 'sandbox_hunter2', 'hunter2+', '%22hunter2%22'])
      for (const raw of [
        `${bare}?token=${token}&event=${token}&ref=${token}&apikey=${token}&${token}=1&${token}=2`,
        `${baseUrl}/lead/${token}/status?tokens=${token}`,
        `https://${token}@acme.example.com/${token}?token=${token}#${token}`,
        token,
      ])
        for (const text of hidden)
          expect(JSON.stringify(await explain(raw, { secret, advertiser_id }))).not.toContain(text)
  })
})
