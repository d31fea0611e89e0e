import { describe, expect, it } from 'vitest'
import * as explain from './explain-postback-url.ts'
import * as main from './index.ts'
import * as testing from './testing.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const sent: unknown[] = []
const client = {
  baseUrl: 'https://sandbox.leads.test/api/v1',
  apiKey: 'sandbox_key',
  backOff: { minDelayMs: 0, maxRetryAfterMs: 0 },
  fetch: async () => sent.push(1) as never,
}
const advertiser = main.createAdvertiser(client)
const { baseUrl } = client
const raw = await testing.createTestPostbackUrl()
const url = advertiser.parsePostbackUrl(raw)
const format = { hash: 'SHA-256', joiner: ':', encoding: 'hex' } as const
const token = { secret: 's', advertiser_id: lead_id, ...format }
/** As plain JavaScript hands it over. */
const as = (options: object) => options as never

const report = (more: object, options?: object) =>
  advertiser.reportStatus(lead_id, { status: 'approved', ...more }, options)
const fire = (more: object, options?: object) => advertiser.fire(url, { event: 'approved', ...more }, options)

/** Every call that takes options or fields: with one unknown, and the known one that the error names. */
const calls: [call: string, unknown: string, meant: string, make: (more: object) => unknown][] = [
  ['createAdvertiser', 'timeout', 'timeoutMs', more => main.createAdvertiser(as({ ...client, ...more }))],
  ['createAdvertiser', 'vocab', '', more => main.createAdvertiser(as({ ...client, ...more }))],
  ['createAdvertiser', 'methods', 'method', more => main.createAdvertiser(as({ ...client, ...more }))],
  ['withOptions', 'baseUrl', '', more => advertiser.withOptions(more)],
  ['report', 'amount', 'metadata.amount', report],
  ['report', 'loan_amount', 'metadata.amount', report],
  ['report', 'term_months', 'metadata.term_months', report],
  ['report', 'advertiserId', 'advertiser_id', report],
  ['report', 'months', 'metadata.term_months', more => report({ metadata: more })],
  ['reportStatus', 'retryUnknown', 'retryUnknownOutcome', more => report({}, more)],
  ['postback', 'reference', 'ref', fire],
  ['postback', 'REF', 'ref', fire],
  ['fire', 'retries', 'maxRetries', more => fire({}, more)],
  ['postback', 'events', 'event', more => main.postbackImage(url, { event: 'approved', ...more })],
  ['PostbackUrl.parse', 'baseURL', 'baseUrl', more => main.PostbackUrl.parse(raw, as({ baseUrl, ...more }))],
  ['createTokenCheck', 'secrets', 'secret', more => main.createTokenCheck({ ...token, ...more })],
  ['explainPostbackUrl', 'leadIds', 'lead_ids', more => explain.explainPostbackUrl(raw, { baseUrl, ...more })],
  ['createTestPostbackUrl', 'leadId', 'lead_id', more => testing.createTestPostbackUrl(more)],
  ['forgeTestPostbackUrls', 'secrets', 'secret', more => testing.forgeTestPostbackUrls(more)],
]

/** The error of a call, thrown or rejected. */
async function errorOf(make: () => unknown): Promise<unknown> {
  try {
    await make()
  } catch (error) {
    return error
  }
  return undefined
}

describe('an unknown option or field is refused with the one that was meant, and nothing is sent', () => {
  it.each(calls)('%s: %s, for %s', async (call, unknown, meant, make) => {
    for (const value of [1, undefined]) {
      const error = await errorOf(() => make({ [unknown]: value }))
      expect(error).toSatisfy(main.ConfigError.is)
      const { message } = error as Error
      const what = ['report', 'postback'].includes(call) ? `The ${call}` : `\`${call}\``
      expect(message.startsWith(`${what} does not know \``)).toBe(true)
      expect(message).toMatch(new RegExp(`\\b${unknown}\`\\. `))
      expect(message).toContain(meant ? `Use \`${meant}\`.` : 'It knows ')
    }
    expect(sent).toEqual([])
  })
})

it.each(calls)('%s takes none of its known options for unknown', async (_call, _unknown, _meant, make) => {
  const error = await errorOf(() => make({}))
  expect(String(error)).not.toContain('does not know')
  sent.length = 0
})

it('is tried for every function that is exported', () => {
  const exported = Object.entries({ ...main, ...explain, ...testing })
  const functions = exported.filter(([name, value]) => typeof value === 'function' && !name.endsWith('Error'))
  const tried = new Set(['postbackImage', 'parsePostbackUrl', 'PostbackUrl', ...calls.map(([call]) => call)])
  expect(functions.map(([name]) => name).filter(name => !tried.has(name))).toEqual([])
  expect(Object.keys(advertiser).filter(name => !tried.has(name))).toEqual([])
})
