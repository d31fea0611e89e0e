import type { PostbackCheck, PostbackFinding } from '@lead-distribution/contract/diagnostics'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diagnosePostback } from './diagnose-postback.ts'
import { origin, pixelWorld } from './postback.fixture.ts'

const world = await pixelWorld()
const { right, knowledge, leads } = world
const token = await world.tokenOf(0)
const base = `${origin}/api/v1`
const path = `${base}/lead/${leads.ours}/status`

const diagnose = (text: string) => diagnosePostback(text, knowledge)
const found = async (text: string, check: PostbackCheck) => {
  const finding = (await diagnose(text)).find(each => each.check === check)
  return finding && `${finding.verdict}: ${finding.message}`
}

/** Maps the first wrong finding to the pixel's status. */
const statusOf: Partial<Record<PostbackCheck, number>> = {
  path: 404,
  lead: 401,
  distribution: 401,
  key: 401,
  token: 401,
}
const foretold = (findings: readonly PostbackFinding[]) => {
  const first = findings.find(({ verdict }) => verdict === 'wrong')
  return first ? (statusOf[first.check] ?? 400) : 200
}

describe('a postback URL as it was delivered', () => {
  it('passes every check, in order', async () => {
    const findings = await diagnose(right)
    expect(findings.map(({ check, verdict }) => `${check} ${verdict}`)).toEqual([
      'url ok',
      'origin ok',
      'path ok',
      'lead ok',
      'distribution ok',
      'key ok',
      'token ok',
      'event ok',
      'parameters ok',
    ])
    expect(await found(right, 'token')).toBe('ok: It is the token of Crédito Alba for this lead.')
  })

  it('is checked without being fired', async () => {
    const fresh = await pixelWorld()
    const before = structuredClone(await fresh.kept())
    await diagnosePostback(fresh.right, fresh.knowledge)
    expect(await fresh.kept()).toEqual(before)
    await fresh.call(fresh.right)
    expect(await fresh.kept()).not.toEqual(before)
  })
})

describe('the address', () => {
  it.each([
    [
      '127.0.0.1:4010/api/v1/lead',
      /^wrong: The text is not an absolute URL: put http:\/\/ or https:\/\/ in front of it/,
    ],
    [`/api/v1/lead/${leads.ours}/status`, /^wrong: The text is not an absolute URL: put the base URL/],
    ['https:/127.0.0.1:4010/lead', /^wrong: The text is not an absolute URL/],
    [`"${right}"`, /^wrong: The URL has quotes/],
    [encodeURIComponent(right), /^wrong: The whole URL is percent-encoded/],
    [`${base}/lead/ x/status`, /^wrong: The URL contains spaces/],
    [`${right}ñ`, /^warning: The URL contains non-ASCII characters/],
    [`${right}\n`, /^warning: The URL has spaces around it/],
    [right.replace('&event', '#event'), /^warning: The URL contains a #/],
    [right.replace('//', '//user:pass@'), /^warning: The URL has a user name/],
  ])('%j', async (text, message) => {
    expect(await found(text, 'url')).toMatch(message)
  })

  it.each([
    [right.replace(origin, 'https://acme.leads.example'), /^wrong: The host differs and looks like production/],
    [right.replace('127.0.0.1', 'sandbox.leads.example'), /^wrong: The host differs: the base URL is http:/],
    [right.replace('http', 'https'), /^wrong: The scheme is https/],
    [right.replace('4010', '4011'), /^wrong: The port differs/],
    [right.replace('127.0.0.1', 'localhost'), /^warning: The host is another name of this machine/],
  ])('%s', async (text, message) => {
    expect(await found(text, 'origin')).toMatch(message)
  })

  it.each([
    [`${base}/lead/${leads.ours}`, 'The path is missing /status.'],
    [`${origin}/lead/${leads.ours}/status`, 'The path is missing /api/v1.'],
    [`${origin}/api/v2/lead/${leads.ours}/status`, 'The path has another version.'],
    [`${path}/`, 'The path ends with a slash.'],
    [`${base}/leads/${leads.ours}/status`, 'The path has leads instead of lead.'],
    [`${base}/Lead/${leads.ours}/status`, 'The path has capital letters.'],
    [`${base}/lead//status`, 'The path contains two consecutive slashes, or no lead_id between them.'],
    [`${base}/lead/%%LEAD%%/status`, /does not escape/],
    [`${origin}/_sandbox/advertiser/a/b`, /redirect_url/],
    [`${base}/status`, 'This is not the path of a postback URL.'],
  ])('%s is not a pixel', async (text, message) => {
    const finding = await found(text, 'path')
    expect(finding).toMatch(message)
    expect(finding).toMatch(/^wrong: .* The path of a postback URL is \/api\/v1\/lead\/\{lead_id\}\/status\.$/)
    expect(await world.call(text)).toBe(404)
  })
})

describe('the lead', () => {
  const of = (leadId: string) => `${base}/lead/${leadId}/status?token=${token}&event=approved`

  it.each([
    ['{lead_id}', /^wrong: The lead_id is a placeholder/],
    ['%7Blead_id%7D', /^wrong: The lead_id is a placeholder/],
    ['42', /^wrong: The lead_id is not a UUID\.$/],
    [leads.ours.replaceAll('-', ''), /^wrong: The lead_id is not a UUID: it is written with hyphens/],
    [leads.unknown, /^wrong: No lead here has this lead_id/],
    [leads.ours.toUpperCase(), /^ok: The lead is known, and is distributed/],
  ])('%s', async (leadId, message) => {
    expect(await found(of(leadId), 'lead')).toMatch(message)
  })

  it('that no advertiser has is reported, whatever the token', async () => {
    expect(await found(of(leads.unsold), 'distribution')).toBe(
      'wrong: The lead is new, and no advertiser has it, so no token is valid for it.',
    )
    expect(await found(right, 'distribution')).toBe('ok: The lead was distributed to Crédito Alba, Caja Cumbre.')
  })
})

describe('the rest of the query', () => {
  it.each([
    [path, 'event', /^wrong: The parameter `event` is missing: add one of registration, approved/],
    [`${path}?Event=approved`, 'event', /^wrong: The parameter `event` is missing, but one has a similar name/],
    [`${path}?event=loan_paid`, 'event', 'ok: The event is loan_paid, another name for completed.'],
    [`${path}?event=converted`, 'event', /^wrong: The pixel does not accept converted/],
    [`${path}?event={event}`, 'event', /^wrong: The event is a placeholder/],
    [`${path}?apikey=k`, 'key', /^wrong: The URL contains an apikey/],
    [`${path}?api_key=k`, 'key', /^warning: The URL seems to contain an API key/],
    [`${path}?Token=t`, 'token', /^wrong: The parameter `token` is missing, but one has a similar name/],
    [`${path}?token=%25%25TOKEN%25%25`, 'token', /^wrong: The token is a placeholder/],
    [`${path}?token=t&amp;event=approved`, 'parameters', /^warning: The URL was copied from HTML/],
    [`${path}?token=t&token=t`, 'parameters', /^wrong: Each parameter may appear only once: `token` is/],
    [`${path}?token=t&sub_id=1`, 'parameters', /^warning: The pixel ignores all parameters except/],
    [`${path}?event=loanIssued`, 'event', 'wrong: The event is unknown, did you mean `loan_issued`?'],
    [`${path}?event=`, 'event', /^wrong: The event is not one of registration/],
    [`${path}?ref=${'x'.repeat(255)}`, 'ref', /^ok/],
    [`${path}?ref=${'x'.repeat(256)}`, 'ref', /^wrong: `ref` must be at most 255 characters long/],
    [`${path}?ref=$%7Bref%7D`, 'ref', /^warning: `ref` is a placeholder/],
    [`${path}?a=1&a=2`, 'parameters', 'wrong: Each parameter may appear only once: one is given more than once.'],
  ] as const)('%s', async (text, check, message) => {
    expect(await found(text, check)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })
})

describe('the predicted status', () => {
  const query = (name: string, values: readonly string[]) =>
    fc.constantFrom(...values.map(value => `${name}=${value}`), '', `${name}=a&${name}=b`)

  it("equals the real pixel's [4.3/rule-1]", async () => {
    const others = [await world.tokenOf(1), await world.tokenOf(2), await world.tokenOf(0, leads.other)]
    const ids = [...Object.values(leads), leads.ours.toUpperCase(), '42', '{lead_id}', '%7', '']
    const url = fc
      .tuple(
        fc.constantFrom('', '', '', '/'),
        fc.oneof(fc.constant(leads.ours), fc.constantFrom(...ids)),
        fc.oneof(
          fc.constant(`token=${token}`),
          query('token', [...others, token.toUpperCase(), `%20${token}`, encodeURIComponent('%%TOKEN%%'), 'x', '']),
        ),
        query('event', ['approved', 'loan_issued', 'converted', 'Approved', '{event}', '']),
        query('ref', ['r', 'x'.repeat(255), 'x'.repeat(256)]),
        fc.constantFrom('', '', '', 'apikey=x', 'api_key=x', 'sub=1'),
      )
      .map(([end, id, ...parts]) => `${base}/lead/${id}/status${end}?${parts.filter(part => part !== '').join('&')}`)
    const seen = new Set<number>()
    await fc.assert(
      fc.asyncProperty(url, async text => {
        const status = await world.call(text)
        seen.add(status)
        expect(foretold(await diagnose(text))).toBe(status)
      }),
      // Random data alone rarely makes a fully valid URL.
      { numRuns: 150, examples: [[`${base}/lead/${leads.ours}/status?token=${token}&event=approved`]] },
    )
    expect([...seen].sort()).toEqual([200, 400, 401, 404])
  })
})
