import { type OptionCall, testClosedOptions } from '@lead-distribution/sdk-core/closed-options'
import { expect, it } from 'vitest'
import * as callbacks from './callbacks.ts'
import * as main from './index.ts'
import * as node from './node.ts'
import { sampleLead } from './submit/leads.fixture.ts'
import * as testing from './testing.ts'

const secret = 'a'.repeat(43)
const signing = testing.createTestSigningSecret()
const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const sent: unknown[] = []
const client = {
  baseUrl: 'https://sandbox.leads.test/api/v1',
  apiKey: 'sandbox_key',
  fetch: async () => sent.push(1) as never,
}
const publisher = main.createPublisher(client)
const receiver = { verify: { urlSecrets: [secret] }, handle: () => {} }
const request = () => new Request(`https://publisher.example/callbacks/${secret}?lead_id=${lead_id}&event=approved`)
const test = { url: `https://publisher.example/callbacks/${secret}`, lead_id, event: 'approved' }
const consent = { version: '1', document_url: null, accepted: true }
const record = { ip_address: '203.0.113.7', entries: { terms: consent, privacy_policy: consent } }
/** Drops the types, as in plain JavaScript. */
const as = (options: object) => options as never

/** Every call that accepts options, with an unknown option and the known one that the error suggests. */
const calls: OptionCall[] = [
  ['createPublisher', 'timeout', 'timeoutMs', more => main.createPublisher(as({ ...client, ...more }))],
  ['createPublisher', 'validates', 'validate', more => main.createPublisher(as({ ...client, ...more }))],
  ['createPublisher', 'publisher_id', 'publisherId', more => main.createPublisher(as({ ...client, ...more }))],
  ['withOptions', 'retries', 'maxRetries', more => publisher.withOptions(more)],
  ['submit', 'previousAttempt', 'resubmission', more => publisher.submit(sampleLead(), more)],
  ['createConsents', 'ip', 'ip_address', more => main.createConsents(as({ ...record, ...more }))],
  [
    'createConsents',
    'acceptedAt',
    'entries.terms.accepted_at',
    more => main.createConsents({ ...record, entries: { ...record.entries, terms: { ...consent, ...more } } }),
  ],
  ['createTracking', 'clickId', 'click_id', more => main.createTracking(more)],
  ['createTracking', 'subId', 'parameters.sub_id', more => main.createTracking({ parameters: more })],
  ['createCallbackReceiver', 'timeoutMs', 'handleTimeoutMs', more => receive({ ...receiver, ...more })],
  ['createCallbackReceiver', 'secrets', 'verify.urlSecrets', more => receive({ ...receiver, ...more })],
  ['verifyCallback', 'allowedIp', 'allowedIps', more => verify({ ...receiver.verify }, more)],
  ['verifyCallback', 'tolerance', 'verify.signature.toleranceSeconds', more => verify(signed(more))],
  ['nodeCallbacks', 'targets', 'target', more => node.nodeCallbacks(receive(receiver), more)],
  ['createTestCallback', 'signingSecret', 'secret', more => testing.createTestCallback({ ...test, ...more })],
]
const receive = (options: object) => callbacks.createCallbackReceiver(as(options))
const verify = (how: object, more = {}) => callbacks.verifyCallback(request(), as({ verify: how, ...more }))
const signed = (more: object) => ({ signature: { secrets: [signing], ...more } })

testClosedOptions({
  calls,
  exported: {
    ...main,
    ...callbacks,
    ...node,
    ...testing,
  },
  methods: Object.keys(publisher),
  withoutOptions: [
    'createCallbackUrl',
    'createMemoryClaims',
    'createTestSigningSecret',
    'redirectResponse',
    'validateLead',
  ],
  sent,
})

it('rejects another object in place of the options', async () => {
  const { signal } = new AbortController()
  await expect(publisher.submit(sampleLead(), as(signal))).rejects.toSatisfy(main.ConfigError.is)
})
