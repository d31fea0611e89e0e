import { type OptionCall, testClosedOptions } from '@lead-distribution/sdk-core/closed-options'
import * as main from './index.ts'
import * as testing from './testing.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const sent: unknown[] = []
const client = {
  baseUrl: 'https://sandbox.leads.test/api/v1',
  apiKey: 'sandbox_key',
  fetch: async () => sent.push(1) as never,
}
const advertiser = main.createAdvertiser(client)
const { baseUrl } = client
const raw = await testing.createTestPostbackUrl()
const url = advertiser.parsePostbackUrl(raw)
/** Drops the types, as in plain JavaScript. */
const as = (options: object) => options as never

const report = (more: object, options?: object) =>
  advertiser.reportStatus(lead_id, { status: 'approved', ...more }, options)
const fire = (more: object, options?: object) => advertiser.fire(url, { event: 'approved', ...more }, options)

/** Every call that accepts options or fields, with an unknown one and the known one that the error suggests. */
const calls: OptionCall[] = [
  ['createAdvertiser', 'timeout', 'timeoutMs', more => main.createAdvertiser(as({ ...client, ...more }))],
  ['createAdvertiser', 'vocab', '', more => main.createAdvertiser(as({ ...client, ...more }))],
  ['createAdvertiser', 'methods', 'method', more => main.createAdvertiser(as({ ...client, ...more }))],
  ['withOptions', 'baseUrl', '', more => advertiser.withOptions(more)],
  ['The report', 'amount', 'metadata.amount', report],
  ['The report', 'loan_amount', 'metadata.amount', report],
  ['The report', 'term_months', 'metadata.term_months', report],
  ['The report', 'advertiserId', 'advertiser_id', report],
  ['The report', 'term_month', 'metadata.term_months', more => report({ metadata: more })],
  ['The report', 'amuont', 'metadata.amount', more => report({ metadata: more })],
  ['The report', 'termMonths', 'metadata.term_months', more => report({ metadata: more })],
  ['reportStatus', 'retryUnknown', 'retryUnknownOutcome', more => report({}, more)],
  ['The postback', 'reference', 'ref', fire],
  ['The postback', 'REF', 'ref', fire],
  ['The postback', 'events', 'event', fire],
  ['fire', 'retries', 'maxRetries', more => fire({}, more)],
  ['PostbackUrl.parse', 'baseURL', 'baseUrl', more => main.PostbackUrl.parse(raw, as({ baseUrl, ...more }))],
  ['createTestPostbackUrl', 'leadId', 'lead_id', more => testing.createTestPostbackUrl(more)],
]

testClosedOptions({
  calls,
  exported: {
    ...main,
    ...testing,
  },
  methods: Object.keys(advertiser),
  withoutOptions: ['parsePostbackUrl', 'PostbackUrl'],
  sent,
})
