import {
  type EventName,
  keyHeader,
  knownStatuses,
  maxBodyBytes,
  pixelEvents,
  convertedStatus as status,
  usageNameOf,
} from '@lead-distribution/contract'
import { type ConformanceCase, casesFrom, casesOf, knownInterpretation, Mismatch, Unclear } from '../case.ts'
import { expect } from '../expectations.ts'
import {
  heldLeads,
  onNewLead,
  reportOnNewLead,
  reportStatus,
  statusMethod,
  testLeads,
  unknownKey,
} from '../requests.ts'
import type { StatementId } from '../statements.ts'
import type { Target, TargetResponse } from '../target.ts'

const needs = ['advertiser'] as const

/** Sends a status update for a new lead, and expects it to be accepted. */
async function expectAccepted(target: Target, body: { status: string }, method?: 'POST' | 'PATCH') {
  const lead_id = await target.distributedLead()
  expect.updated(await reportStatus(target, lead_id, body, method && { method }), lead_id, body.status)
}

/** Reports a status for an unknown lead. */
const reportOnUnknown = (target: Target, report: unknown = status) => reportStatus(target, crypto.randomUUID(), report)

/** The methods and leads of status updates (Spec 4.2; points 4 and 12). */
const methodsAndLeads: readonly ConformanceCase[] = [
  ...casesOf(['4.2/method_and_path', '4.2/methods', 'open/status_methods'], needs, {
    async '4.2/accepts-a-status-by-post-or-patch'(target) {
      const { interpretation, known_by } = await target.finding('status_methods')
      if (!interpretation)
        throw new Mismatch("200 to a POST or PATCH with the status of the advertiser's lead", known_by)
      for (const method of interpretation) await expectAccepted(target, { status }, method)
    },
  }),
  ...casesOf(['open/status_methods', 'open/error.method_not_allowed'], needs, {
    async 'open/returns-method_not_allowed-for-an-unsupported-post-or-patch'(target) {
      const accepted = await target.interpretation('status_methods')
      const method = (['POST', 'PATCH'] as const).find(each => accepted && !accepted.includes(each))
      if (!method || !accepted) throw new Unclear('The target accepts both POST and PATCH.')
      const response = await reportOnNewLead(target, status, { method })
      expect.code(response, 'method_not_allowed')
      expect.allow(response, ...accepted)
      expect.same(`${method} in the Allow header`, response.headers.get('allow')?.split(/, */).includes(method), false)
    },
    'open/returns-method_not_allowed-with-an-allow-header-for-delete': onNewLead(async (target, lead_id) => {
      const key = target.facts.advertisers[0]?.api_key
      const response = await target.call('DELETE', `/lead/${lead_id}/status`, { key })
      expect.code(response, 'method_not_allowed')
      expect.allow(response, 'GET')
    }),
  }),
  ...casesOf(['4.2/lead_id', '4.2/errors', 'open/error.not_found'], needs, {
    '4.2/refuses-a-status-of-an-unknown-lead': async target => expect.anyRefusal(await reportOnUnknown(target)),
    async '4.2/refuses-a-status-of-a-lead-whose-id-is-not-a-uuid'(target) {
      for (const lead_id of ['7', 'lead-1', `${crypto.randomUUID()}0`])
        expect.anyRefusal(await reportStatus(target, lead_id, status))
    },
    'open/returns-400-and-the-field-lead_id-for-an-id-that-is-not-a-uuid': async target =>
      expect.fieldRefused(await reportStatus(target, 'lead-1', status), 'lead_id'),
    async 'open/returns-not_found-for-an-unknown-lead-after-checking-the-body'(target) {
      expect.code(await reportOnUnknown(target), 'not_found')
      expect.refused(await reportOnUnknown(target, { status: 1 }), 400)
    },
  }),
  ...casesOf(['open/other_advertiser', 'open/error.not_found'], ['advertiser', 'second_advertiser'], {
    async 'open/returns-the-same-404-for-a-lead-of-another-advertiser-as-for-an-unknown-lead'(target) {
      for await (const { responses, holders, other: advertiser } of heldLeads(target)) {
        const response = responses[advertiser]
        if (!response || holders === 0) continue
        const unknown = await reportStatus(target, crypto.randomUUID(), 'registration', { advertiser })
        return expect.alike('not_found', [unknown, response])
      }
      throw new Unclear('No lead was found that one advertiser has and another does not.')
    },
  }),
  ...casesOf(['open/error.not_found', '4.2/lead_id'], ['advertiser', 'account'], {
    async 'open/returns-the-same-404-for-a-new-or-rejected-lead-as-for-an-unknown-lead'(target) {
      const responses = [await reportOnUnknown(target)]
      for (const name of ['new', 'geographicRestriction'] as const) {
        const { json } = await target.submit(testLeads(target, name)[0])
        if (json?.status === 'distributed' || typeof json?.lead_id !== 'string')
          throw new Unclear(`The test lead ${name} is distributed or not stored.`)
        responses.push(await reportStatus(target, json.lead_id, status))
      }
      expect.alike('not_found', responses)
    },
  }),
  ...casesOf(['4.2/lead_id', '4.2/advertiser_id'], needs, {
    'open/accepts-ids-in-uppercase': onNewLead(async (target, lead_id) => {
      const advertiser_id = target.facts.advertisers[0]?.advertiser_id.toUpperCase()
      expect.updated(await reportStatus(target, lead_id.toUpperCase(), { status, advertiser_id }), lead_id, status)
    }),
  }),
  ...casesOf(['4.2/reply.status', '3/ignored', '6.1/rule-1'], needs, {
    'open/returns-the-same-200-for-a-repeated-status': onNewLead(async (target, lead_id) => {
      const methods = (await target.interpretation('status_methods')) ?? [undefined]
      for (const method of [...methods, ...methods])
        expect.updated(await reportStatus(target, lead_id, status, method && { method }), lead_id, status)
    }),
    'open/repeats-the-name-of-each-event-as-reported': onNewLead(async (target, lead_id) => {
      for (const name of pixelEvents.flatMap(event => [usageNameOf[event], event]))
        expect.updated(await reportStatus(target, lead_id, name), lead_id, name)
    }),
  }),
]

/** Status updates that are valid except for the key. */
const unkeyed: Readonly<Record<string, (target: Target, lead_id: string) => Promise<TargetResponse>>> = {
  'without-a-key': (target, lead_id) => reportStatus(target, lead_id, status, { key: undefined }),
  'with-an-unknown-key': (target, lead_id) => reportStatus(target, lead_id, status, { key: unknownKey }),
  'with-an-empty-key': (target, lead_id) => reportStatus(target, lead_id, status, { key: '' }),
  'with-the-key-of-the-publisher': (target, lead_id) =>
    reportStatus(target, lead_id, status, { key: target.facts.publisher.api_key }),
  'with-the-key-in-the-query': async (target, lead_id) => {
    const key = encodeURIComponent(target.facts.advertisers[0]?.api_key ?? '')
    const path = `/lead/${lead_id}/status?${keyHeader}=${key}`
    return target.call(await statusMethod(target), path, { body: { status } })
  },
}

/** The key of a status update (Spec 5). */
const keys: readonly ConformanceCase[] = [
  ...casesOf(['4/apikey', '4.2/caller', '5/advertiser_key', '5/scope', '5/where', '5/missing_or_invalid_key'], needs, {
    ...casesFrom(unkeyed, (name, report) => [
      `5/refuses-a-status-${name}`,
      // A 403 is also accepted for a key with another scope.
      onNewLead(async (target, lead_id) =>
        expect.refused(await report(target, lead_id), 401, ...(name.includes('publisher') ? [403] : [])),
      ),
    ]),
  }),
  ...casesOf(['open/error.unauthorized', '7/401'], needs, {
    'open/returns-the-same-401-for-every-wrong-key-of-a-status': onNewLead(async (target, lead_id) => {
      const responses = [await reportStatus(target, crypto.randomUUID(), { status: 1 }, { key: undefined })]
      for (const report of Object.values(unkeyed)) responses.push(await report(target, lead_id))
      expect.alike('unauthorized', responses)
    }),
  }),
]

const acceptedStatements = ['4.2/status', '4.2/success_reply', '4.2/reply.lead_id', '4.2/reply.status', '4.2/caller']

/** The specification shows `converted`. The event names are our interpretation. */
function acceptedStatus(name: EventName): ConformanceCase[] {
  const isShown = name === status
  const statements = isShown ? acceptedStatements : [...acceptedStatements, `6.1/${name}`, 'open/status_vocabulary']
  return casesOf(statements as StatementId[], needs, {
    [`${isShown ? '4.2' : 'open'}/accepts-the-status-${name}`]: target => expectAccepted(target, { status: name }),
  })
}

/** Bodies that the service must refuse, each with its invalid field. */
type WrongBodies = Readonly<Record<string, readonly [field: string, body: object]>>

const wrong: WrongBodies = {
  'a-status-that-is-a-number': ['status', { status: 1 }],
  'a-status-that-is-null': ['status', { status: null }],
  'an-advertiser_id-that-is-not-a-uuid': ['advertiser_id', { status, advertiser_id: 'advertiser-1' }],
  'metadata-that-is-a-text': ['metadata', { status, metadata: '24' }],
  'an-amount-that-is-a-text': ['metadata.amount', { status, metadata: { amount: '5000' } }],
  'a-term-that-is-a-text': ['metadata.term_months', { status, metadata: { term_months: '24' } }],
  'a-term-of-a-month-and-a-half': ['metadata.term_months', { status, metadata: { term_months: 1.5 } }],
}

/** More bodies that our interpretation refuses. */
const wrongToUs: WrongBodies = {
  'a-body-without-a-status': ['status', {}],
  'an-empty-status': ['status', { status: '' }],
  'metadata-that-is-a-list': ['metadata', { status, metadata: [] }],
  'an-unknown-advertiser_id': ['advertiser_id', { status, advertiser_id: crypto.randomUUID() }],
  'a-body-that-is-a-list': ['body', []],
}

/** The body of a status update (Spec 4.2; point 5). */
const bodies: readonly ConformanceCase[] = [
  ...knownStatuses.flatMap(acceptedStatus),
  ...casesOf(['4.2/advertiser_id', '4.2/metadata', '4.2/metadata.amount', '4.2/metadata.term_months'], needs, {
    async '4.2/accepts-a-status-with-advertiser_id-and-metadata'(target) {
      const advertiser_id = target.facts.advertisers[0]?.advertiser_id
      const body = { status, advertiser_id, metadata: { amount: 4999.5, term_months: 24 } }
      await expectAccepted(target, body)
    },
    async 'open/accepts-empty-metadata-and-unknown-fields'(target) {
      for (const more of [{ metadata: {} }, { metadata: { rate: 7.5 } }, { note: 'signed' }])
        await expectAccepted(target, { status, ...more })
    },
  }),
  ...casesOf(['open/status_vocabulary', '4.2/status'], needs, {
    async 'open/accepts-either-all-unlisted-statuses-or-none'(target) {
      const interpretation = await knownInterpretation(target, 'status_vocabulary')
      for (const name of ['funded', 'Approved', ' approved', 'constructor', 'loan issued'])
        if (interpretation === 'any') await expectAccepted(target, { status: name })
        else expect.fieldRefused(await reportOnNewLead(target, name), 'status')
    },
  }),
  ...casesOf(['4.2/errors'], needs, {
    ...casesFrom(wrong, (name, [, body]) => [
      `4.2/refuses-${name}`,
      async target => expect.anyRefusal(await reportOnNewLead(target, body)),
    ]),
  }),
  ...casesOf(['4.2/errors', '4.2/advertiser_id'], needs, {
    ...casesFrom({ ...wrong, ...wrongToUs }, (name, [field, body]) => [
      `open/returns-400-and-the-field-for-${name}`,
      async target => expect.fieldsRefused(await reportOnNewLead(target, body), field),
    ]),
  }),
  ...casesOf(['4.2/errors', '4.2/advertiser_id'], ['advertiser', 'second_advertiser'], {
    async 'open/returns-400-and-the-field-for-the-advertiser_id-of-another-advertiser'(target) {
      const advertiser_id = target.facts.advertisers[1]?.advertiser_id
      expect.fieldsRefused(await reportOnNewLead(target, { status, advertiser_id }), 'advertiser_id')
    },
  }),
  ...casesOf(
    ['open/error.malformed_json', 'open/error.payload_too_large', 'open/error.unsupported_media_type'],
    needs,
    {
      'open/refuses-a-status-that-is-truncated-too-large-or-not-declared-as-json': onNewLead(
        async (target, lead_id) => {
          const key = target.facts.advertisers[0]?.api_key
          const method = await statusMethod(target)
          const text = JSON.stringify({ status })
          const send = (body: string, type = 'application/json') =>
            target.call(method, `/lead/${lead_id}/status`, { key, body, headers: { 'content-type': type } })
          expect.code(await send(text.slice(0, -1)), 'malformed_json')
          expect.code(await send(text.padEnd(maxBodyBytes + 1)), 'payload_too_large')
          expect.code(await send(text, 'text/plain'), 'unsupported_media_type')
        },
      ),
    },
  ),
]

/** Status updates: methods, leads, keys and bodies (Spec 4.2, 5). */
export const statusCases: readonly ConformanceCase[] = [...methodsAndLeads, ...keys, ...bodies]
