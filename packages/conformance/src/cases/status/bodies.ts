import {
  convertedStatus,
  type EventName,
  knownStatuses,
  maxBodyBytes,
  convertedStatus as status,
} from '@lead-distribution/contract'
import { type ConformanceCase, needing } from '../../conformance-case.ts'
import {
  expectCode,
  expectFieldRefused,
  expectSame,
  expectSomeRefusal,
  expectTaken,
  fieldsOf,
} from '../../expectations.ts'
import { knownInterpretation, reportStatus } from '../../report-status.ts'
import type { StatementId } from '../../statements/index.ts'

/** The specification shows `converted`. The event names are our interpretation. */
const accepts = (status: EventName): ConformanceCase => ({
  id: status === convertedStatus ? '4.2/takes-converted' : `open/takes-the-status-${status}`,
  title: `accepts the status ${status} and repeats it in the response`,
  statements: [
    '4.2/status',
    '4.2/success_reply',
    '4.2/reply.lead_id',
    '4.2/reply.status',
    '4.2/caller',
    ...(status === convertedStatus ? [] : ([`6.1/${status}`, 'open/status_vocabulary'] as StatementId[])),
  ],
  async run(target) {
    const lead_id = await target.distributedLead()
    expectTaken(await reportStatus(target, lead_id, status), lead_id, status)
  },
})

const wrong: readonly (readonly [name: string, field: string, body: object])[] = [
  ['a status that is a number', 'status', { status: 1 }],
  ['a status that is null', 'status', { status: null }],
  ['an advertiser_id that is no UUID', 'advertiser_id', { status, advertiser_id: 'advertiser-1' }],
  ['metadata that is a text', 'metadata', { status, metadata: '24' }],
  ['an amount that is a text', 'metadata.amount', { status, metadata: { amount: '5000' } }],
  ['a term that is a text', 'metadata.term_months', { status, metadata: { term_months: '24' } }],
  ['a term of a month and a half', 'metadata.term_months', { status, metadata: { term_months: 1.5 } }],
]

/** More bodies that our interpretation refuses. */
const wrongToUs: typeof wrong = [
  ['a body without a status', 'status', {}],
  ['an empty status', 'status', { status: '' }],
  ['metadata that is a list', 'metadata', { status, metadata: [] }],
  ["an advertiser_id that is not the key's own", 'advertiser_id', { status, advertiser_id: crypto.randomUUID() }],
  ['a body that is a list', 'body', []],
]

const idOf = (name: string) => `refuses-${name.toLowerCase().replaceAll("'", '').replaceAll(' ', '-')}`

/** The body of a status update (Spec 4.2; point 5). */
export const statusBodyCases = needing(
  ['advertiser'],
  [
    ...knownStatuses.map(accepts),
    {
      id: '4.2/takes-all-fields',
      title: "accepts a status with the advertiser's id and metadata, with a fractional amount",
      statements: ['4.2/advertiser_id', '4.2/metadata', '4.2/metadata.amount', '4.2/metadata.term_months'],
      async run(target) {
        const lead_id = await target.distributedLead()
        const advertiser_id = target.facts.advertisers[0]?.advertiser_id
        const metadata = { amount: 4999.5, term_months: 24 }
        const response = await reportStatus(target, lead_id, { status: convertedStatus, advertiser_id, metadata })
        expectTaken(response, lead_id, convertedStatus)
      },
    },
    {
      id: 'open/takes-figures-it-does-not-know',
      title: 'accepts empty metadata and unknown fields',
      statements: ['4.2/metadata'],
      async run(target) {
        for (const more of [{ metadata: {} }, { metadata: { rate: 7.5 } }, { note: 'signed' }]) {
          const lead_id = await target.distributedLead()
          const response = await reportStatus(target, lead_id, { status: convertedStatus, ...more })
          expectTaken(response, lead_id, convertedStatus)
        }
      },
    },
    {
      id: 'open/judges-other-names',
      title: 'accepts all unlisted names, or refuses them all, in any letter case',
      statements: ['open/status_vocabulary', '4.2/status'],
      async run(target) {
        const interpretation = await knownInterpretation(target, 'status_vocabulary')
        for (const status of ['funded', 'Approved', ' approved', 'constructor', 'loan issued']) {
          const lead_id = await target.distributedLead()
          const response = await reportStatus(target, lead_id, status)
          if (interpretation === 'any') expectTaken(response, lead_id, status)
          else expectFieldRefused(response, 'status')
        }
      },
    },
    ...wrong.map(
      ([name, , body]): ConformanceCase => ({
        id: `4.2/${idOf(name)}`,
        title: `refuses ${name}`,
        statements: ['4.2/errors'],
        run: async target => expectSomeRefusal(await reportStatus(target, await target.distributedLead(), body)),
      }),
    ),
    ...[...wrong, ...wrongToUs].map(
      ([name, field, body]): ConformanceCase => ({
        id: `open/${idOf(name)}-with-400`,
        title: `returns a 400 that names only the field, by its dotted path, for ${name}`,
        statements: ['4.2/errors', ...(field === 'advertiser_id' ? (['4.2/advertiser_id'] as const) : [])],
        async run(target) {
          const response = await reportStatus(target, await target.distributedLead(), body)
          expectCode(response, 'validation_error')
          expectSame('the named fields', fieldsOf(response), [field])
        },
      }),
    ),
    {
      id: 'open/refuses-the-advertiser_id-of-another-with-400',
      title: 'refuses the advertiser_id of another advertiser of the account with a 400 that names only it',
      statements: ['4.2/errors', '4.2/advertiser_id'],
      needs: ['second_advertiser'],
      async run(target) {
        const advertiser_id = target.facts.advertisers[1]?.advertiser_id
        const response = await reportStatus(target, await target.distributedLead(), { status, advertiser_id })
        expectCode(response, 'validation_error')
        expectSame('the named fields', fieldsOf(response), ['advertiser_id'])
      },
    },
    {
      id: 'open/status-body-is-json',
      title: 'refuses a status update that is truncated, too large, or not declared as JSON',
      statements: ['open/error.malformed_json', 'open/error.payload_too_large', 'open/error.unsupported_media_type'],
      async run(target) {
        const path = `/lead/${await target.distributedLead()}/status`
        const key = target.facts.advertisers[0]?.api_key
        const [method = 'POST'] = (await target.interpretation('status_methods')) ?? []
        const json = { 'content-type': 'application/json' }
        const text = JSON.stringify({ status })
        const send = (body: string, headers: Record<string, string>) =>
          target.call(method, path, { key, body, headers })
        expectCode(await send(text.slice(0, -1), json), 'malformed_json')
        expectCode(await send(text.padEnd(maxBodyBytes + 1), json), 'payload_too_large')
        expectCode(await send(text, { 'content-type': 'text/plain' }), 'unsupported_media_type')
      },
    },
  ],
)
