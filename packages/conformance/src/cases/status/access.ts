import { convertedStatus, keyHeader, pixelEvents, usageNameOf } from '@lead-distribution/contract'
import { type ConformanceCase, Mismatch, needing, Unclear } from '../../conformance-case.ts'
import {
  expectCode,
  expectFieldRefused,
  expectOf,
  expectRefusal,
  expectSame,
  expectSomeRefusal,
  expectTaken,
} from '../../expectations.ts'
import { heldLeads } from '../../interpretations/reports.ts'
import { reportStatus } from '../../report-status.ts'
import type { Target, TargetResponse } from '../../target.ts'
import { leadsOf } from '../lead/rejections.ts'

const status = convertedStatus
const unknownKey = 'a-key-that-nobody-has'

/** Status updates with everything right except the key. */
const unkeyed: Readonly<Record<string, (target: Target, lead_id: string) => Promise<TargetResponse>>> = {
  'without a key': (target, lead_id) => reportStatus(target, lead_id, status, { key: undefined }),
  'with an unknown key': (target, lead_id) => reportStatus(target, lead_id, status, { key: unknownKey }),
  'with an empty key': (target, lead_id) => reportStatus(target, lead_id, status, { key: '' }),
  "with the publisher's key": (target, lead_id) =>
    reportStatus(target, lead_id, status, { key: target.facts.publisher.api_key }),
  'with its key in the URL': async (target, lead_id) => {
    const [method = 'POST'] = (await target.interpretation('status_methods')) ?? []
    const key = encodeURIComponent(target.facts.advertisers[0]?.api_key ?? '')
    return target.call(method, `/lead/${lead_id}/status?${keyHeader}=${key}`, { body: { status } })
  },
}

/** Access to status updates: keys, leads and methods (Spec 4.2, 5; points 4 and 12). */
export const accessCases = needing(
  ['advertiser'],
  [
    // Methods (Spec 4.2; point 4).
    {
      id: '4.2/takes-post-or-patch',
      title: 'accepts a status by POST, PATCH, or both',
      statements: ['4.2/method_and_path', '4.2/methods', 'open/status_methods'],
      async run(target) {
        const { interpretation, known_by } = await target.finding('status_methods')
        if (!interpretation)
          throw new Mismatch("200 to a POST or PATCH with the status of the advertiser's lead", known_by)
        for (const method of interpretation) {
          const lead_id = await target.distributedLead()
          expectTaken(await reportStatus(target, lead_id, convertedStatus, { method }), lead_id, convertedStatus)
        }
      },
    },
    {
      id: 'open/refuses-another-method',
      title: 'refuses the one of POST and PATCH that it does not accept with a 405 and an Allow header',
      statements: ['open/status_methods', 'open/error.method_not_allowed'],
      async run(target) {
        const taken = await target.interpretation('status_methods')
        const method = (['POST', 'PATCH'] as const).find(each => taken && !taken.includes(each))
        if (!method) throw new Unclear('The target accepts both POST and PATCH.')
        const response = await reportStatus(target, await target.distributedLead(), convertedStatus, { method })
        expectCode(response, 'method_not_allowed')
        const allowed = response.headers.get('allow')?.split(/, */) ?? []
        expectOf(
          response,
          taken?.every(each => allowed.includes(each)) === true,
          `an Allow header with ${taken?.join(', ')}`,
        )
        expectOf(response, !allowed.includes(method), `an Allow header without ${method}`)
      },
    },
    {
      id: 'open/knows-no-delete-of-a-status',
      title: 'refuses a method that the path does not have with a 405',
      statements: ['open/error.method_not_allowed'],
      async run(target) {
        const key = target.facts.advertisers[0]?.api_key
        const response = await target.call('DELETE', `/lead/${await target.distributedLead()}/status`, { key })
        expectCode(response, 'method_not_allowed')
        expectOf(response, response.headers.get('allow')?.includes('GET') === true, 'an Allow header with GET')
      },
    },
    // The lead of an update (Spec 4.2; point 12).
    {
      id: '4.2/refuses-an-unknown-lead',
      title: 'refuses the update of an unknown lead',
      statements: ['4.2/lead_id', '4.2/errors'],
      run: async target => expectSomeRefusal(await reportStatus(target, crypto.randomUUID(), status)),
    },
    {
      id: '4.2/refuses-an-id-that-is-no-uuid',
      title: 'refuses the update of a lead whose id is not a UUID',
      statements: ['4.2/lead_id', '4.2/errors'],
      async run(target) {
        for (const lead_id of ['7', 'lead-1', `${crypto.randomUUID()}0`])
          expectSomeRefusal(await reportStatus(target, lead_id, status))
      },
    },
    {
      id: 'open/names-the-lead-that-is-no-uuid',
      title: 'refuses an id that is not a UUID with a 400 that names lead_id',
      statements: ['4.2/lead_id'],
      run: async target => expectFieldRefused(await reportStatus(target, 'lead-1', status), 'lead_id'),
    },
    {
      id: 'open/does-not-find-an-unknown-lead',
      title: 'refuses the update of an unknown lead with 404, after checking the body',
      statements: ['open/error.not_found', '4.2/lead_id'],
      async run(target) {
        expectCode(await reportStatus(target, crypto.randomUUID(), status), 'not_found')
        expectRefusal(await reportStatus(target, crypto.randomUUID(), { status: 1 }), 400)
      },
    },
    {
      id: 'open/hides-leads-of-other-advertisers',
      title: "refuses the update of another advertiser's lead like that of an unknown lead",
      statements: ['open/other_advertiser', 'open/error.not_found'],
      needs: ['second_advertiser'],
      async run(target) {
        for await (const { responses, holders } of heldLeads(target)) {
          const advertiser = responses.findIndex(({ status }) => status !== 200)
          const response = responses[advertiser]
          if (!response || holders === 0) continue
          expectCode(response, 'not_found')
          const unknown = await reportStatus(target, crypto.randomUUID(), 'registration', { advertiser })
          return expectSame('the response', response.text, unknown.text)
        }
        throw new Unclear('No lead was found that one advertiser has and another does not.')
      },
    },
    {
      id: 'open/hides-leads-of-no-advertiser',
      title: 'refuses the update of a new or rejected lead like that of an unknown lead',
      statements: ['open/error.not_found', '4.2/lead_id'],
      needs: ['account'],
      async run(target) {
        const unknown = await reportStatus(target, crypto.randomUUID(), status)
        for (const name of ['new', 'geographicRestriction'] as const) {
          const { json } = await target.submit(leadsOf(target, name)[0])
          if (json?.status === 'distributed' || typeof json?.lead_id !== 'string')
            throw new Unclear(`The test lead ${name} is distributed or not stored.`)
          const response = await reportStatus(target, json.lead_id, status)
          expectCode(response, 'not_found')
          expectSame('the response', response.text, unknown.text)
        }
      },
    },
    {
      id: 'open/takes-ids-in-capital-letters',
      title: 'accepts ids in uppercase',
      statements: ['4.2/lead_id', '4.2/advertiser_id'],
      async run(target) {
        const lead_id = await target.distributedLead()
        const advertiser_id = target.facts.advertisers[0]?.advertiser_id.toUpperCase()
        const response = await reportStatus(target, lead_id.toUpperCase(), { status: status, advertiser_id })
        expectTaken(response, lead_id, status)
      },
    },
    // Repeated updates (Spec 3; fixed choices).
    {
      id: 'open/answers-the-repeat-alike',
      title: 'responds to a repeated status with the same 200, by each method',
      statements: ['4.2/reply.status', '3/ignored'],
      async run(target) {
        const lead_id = await target.distributedLead()
        const methods = (await target.interpretation('status_methods')) ?? [undefined]
        for (const method of [...methods, ...methods])
          expectTaken(await reportStatus(target, lead_id, status, method && { method }), lead_id, status)
      },
    },
    {
      id: 'open/repeats-each-name',
      title: 'repeats the name of an event as it was reported',
      statements: ['4.2/reply.status', '6.1/rule-1'],
      async run(target) {
        const lead_id = await target.distributedLead()
        for (const event of pixelEvents)
          for (const status of [usageNameOf[event], event])
            expectTaken(await reportStatus(target, lead_id, status), lead_id, status)
      },
    },
    // The key (Spec 5).
    ...Object.entries(unkeyed).map(
      ([name, report]): ConformanceCase => ({
        id: `5/refuses-a-status-${name.replaceAll("'", '').replaceAll(' ', '-')}`.replace('URL', 'url'),
        title: `refuses a status ${name} with 401`,
        statements: ['4/apikey', '4.2/caller', '5/advertiser_key', '5/scope', '5/where', '5/missing_or_invalid_key'],
        async run(target) {
          const response = await report(target, await target.distributedLead())
          // A 403 is fine too for a key with another scope.
          if (name.includes('publisher')) expectRefusal(response, 401, 403)
          else expectRefusal(response, 401)
        },
      }),
    ),
    {
      id: 'open/says-unauthorized-alike',
      title: 'refuses every wrong key with the same response, before checking the body',
      statements: ['open/error.unauthorized', '7/401'],
      async run(target) {
        const lead_id = await target.distributedLead()
        const responses = [await reportStatus(target, crypto.randomUUID(), { status: 1 }, { key: undefined })]
        for (const report of Object.values(unkeyed)) responses.push(await report(target, lead_id))
        for (const response of responses) {
          expectCode(response, 'unauthorized')
          expectSame('the response', response.text, responses[0]?.text)
        }
      },
    },
  ],
)
