import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { diagnosePostback } from './diagnose-postback.ts'
import { origin, pixelWorld } from './postback.fixture.ts'

const world = await pixelWorld()
const token = await world.tokenOf(0)
const { leads } = world
const [alba, brisa] = world.account.advertisers
const secret = alba?.postback_secret ?? ''
const advertiserId = alba?.advertiser_id ?? ''

/** The finding of a token; `written` is the token as the query has it. */
async function found(written: string | undefined, of = world, leadId: string = leads.ours): Promise<string> {
  const query = written === undefined ? '' : `token=${written}&`
  const text = `${origin}/api/v1/lead/${leadId}/status?${query}event=approved`
  const findings = await diagnosePostback(text, of.knowledge)
  const finding = findings.find(({ check }) => check === 'token')
  expect((await of.call(text)) === 401).toBe(
    findings.some(({ verdict, check }) => verdict === 'wrong' && check !== 'event'),
  )
  return `${finding?.verdict}: ${finding?.message}`
}

const hmac = (hash: string, key: string | Uint8Array, content: string) => createHmac(hash, key).update(content).digest()
const made = (joiner = ':', hash = 'sha256') => hmac(hash, secret, `${leads.ours}${joiner}${advertiserId}`)
const inQuery = (text: string) => encodeURIComponent(text)

describe('a token that was made otherwise', () => {
  it.each([
    ['by SHA-512 instead of SHA-256', made(':', 'sha512').toString('hex')],
    ['by SHA-384 instead of SHA-256', made(':', 'sha384').toString('hex')],
    ['by SHA-1 instead of SHA-256', made(':', 'sha1').toString('hex')],
    ['joined by "-"', made('-').toString('hex')],
    ['without a joiner', made('').toString('hex')],
    ['encoded as hex in capital letters instead of hex', made().toString('hex').toUpperCase()],
    ['encoded as base64url instead of hex', made().toString('base64url')],
    ['encoded as base64 instead of hex', inQuery(made().toString('base64'))],
    ['with the advertiser before the lead', hmac('sha256', secret, `${advertiserId}:${leads.ours}`).toString('hex')],
    ['over the lead_id alone', hmac('sha256', secret, leads.ours).toString('hex')],
    [
      'with the lead_id in capital letters',
      hmac('sha256', secret, `${leads.ours.toUpperCase()}:${advertiserId}`).toString('hex'),
    ],
    [
      'with the secret decoded from hexadecimal digits first',
      hmac('sha256', Buffer.from(secret, 'hex'), `${leads.ours}:${advertiserId}`).toString('hex'),
    ],
    [
      'by SHA-512 instead of SHA-256, joined by "|", encoded as base64url instead of hex',
      made('|', 'sha512').toString('base64url'),
    ],
  ])('is reported as made %s', async (deviation, written) => {
    expect(await found(written)).toBe(`wrong: The token was made for Crédito Alba, but ${deviation}.`)
  })

  it('is compared by the interpretation of the account', async () => {
    const other = await pixelWorld({ token_format: { hash: 'SHA-512', joiner: '--', encoding: 'base64url' } })
    expect(await found(await other.tokenOf(0), other)).toBe('ok: It is the token of Crédito Alba for this lead.')
    expect(await found(token, other)).toBe(
      'wrong: The token was made for Crédito Alba, but by SHA-256 instead of SHA-512, joined by ":", encoded as hex instead of base64url.',
    )
  })
})

describe('a token that is right, somewhere else', () => {
  it("is reported as another advertiser's, or another lead's", async () => {
    expect(await found(await world.tokenOf(2))).toBe('ok: It is the token of Caja Cumbre for this lead.')
    expect(await found(await world.tokenOf(1))).toBe(
      `wrong: It is the token of ${brisa?.name}, which does not have this lead.`,
    )
    expect(await found(await world.tokenOf(0, leads.other))).toBe(
      'wrong: It is the token of Crédito Alba for another lead: each lead has its own postback URL.',
    )
  })

  it.each([
    ['has spaces or line ends: take them away', `${token}%0A`],
    ['has quotes or brackets around it: take them away', `%22${token}%22`],
    [
      'was URL-encoded twice: use the URL as it was delivered',
      token.replace(/^./, first => `%25${first.charCodeAt(0).toString(16)}`),
    ],
    ['is cut short: it has 63 of 64 characters', token.slice(0, -1)],
    ['has more behind it: it ends after 64 characters', `${token}%26event`],
  ])('%s', async (mistake, written) => {
    expect(await found(written)).toBe(`wrong: The token of Crédito Alba ${mistake}.`)
  })
})

it('is reported as made with the secret decoded from base64 first', async () => {
  const bytes = Buffer.from(secret, 'base64')
  const written = hmac('sha256', bytes, `${leads.ours}:${advertiserId}`).toString('hex')
  expect(await found(written)).toContain('but with the secret decoded from base64 first.')
})

it('is recognized where its plus sign became a space', async () => {
  const written = ['', ':', '.', '|', '-']
    .map(joiner => made(joiner).toString('base64'))
    .find(text => text.includes('+'))
  expect(await found(written)).toMatch(
    /^wrong: The token was made for Crédito Alba, but .*encoded as base64 instead of hex\.$/,
  )
})

describe('what is no token', () => {
  it.each([
    [undefined, /^wrong: The parameter `token` is missing: use the URL/],
    [secret, /^wrong: The token is the postback secret itself/],
    ['sandbox_adv_demo1_0000000000000000', /^wrong: The token is an API key/],
    [
      'x',
      /^wrong: The token is of no advertiser that has the lead: it is HMAC-SHA-256 over \{lead_id\}:\{advertiser_id\}/,
    ],
    ['x'.repeat(100_000), /^wrong: The token is of no advertiser/],
  ])('%s', async (written, message) => {
    expect(await found(written)).toMatch(message)
  })

  it('cannot be checked for a lead that is not known', async () => {
    expect(await found(token, world, leads.unknown)).toMatch(/^warning: The token cannot be checked/)
  })
})

describe('the findings of a URL', () => {
  it('holds no token, no secret and nothing else that only the URL knew', async () => {
    const secrets = world.account.advertisers.map(({ postback_secret }) => postback_secret)
    const key = 'sandbox_adv_demo1_0000000000000000'
    const texts = [token, token.slice(1), await world.tokenOf(1), await world.tokenOf(2, leads.other), ...secrets, key]
    for (const text of texts)
      for (const url of [
        `${origin}/api/v1/lead/${leads.ours}/status?token=${text}&event=${text}&ref=${text}&apikey=${text}&${text}=1&${text}=2`,
        `${origin}/api/v1/lead/${text}/status?tokens=${text}`,
        `http://${text}@127.0.0.1:4010/${text}#${text}`,
        `${origin}/${text}`,
        text,
      ]) {
        const messages = JSON.stringify(await diagnosePostback(url, world.knowledge))
        for (const hidden of [...texts, ...secrets]) expect(messages).not.toContain(hidden)
      }
  })
})
