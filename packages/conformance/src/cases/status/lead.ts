import { pixelEvents, usageNameOf } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import {
  expectCode,
  expectFieldRefused,
  expectRefusal,
  expectSame,
  expectSomeRefusal,
  expectTaken,
} from '../../expectations.ts'
import { heldLeads } from '../../interpretations/advertisers.ts'
import { Unclear } from '../../mismatch.ts'
import { reportStatus } from '../../report-status.ts'
import { leadsOf } from '../lead/rejections.ts'

/** Whose lead a status update is of (Spec 4.2; point 12). */
export const leadCases: readonly ConformanceCase[] = [
  {
    id: '4.2/refuses-an-unknown-lead',
    title: 'refuses the update of a lead that is not there',
    statements: ['4.2/lead_id', '4.2/errors'],
    needs: ['advertiser'],
    async run(target) {
      expectSomeRefusal(await reportStatus(target, crypto.randomUUID(), 'converted'))
    },
  },
  {
    id: '4.2/refuses-an-id-that-is-no-uuid',
    title: 'refuses the update of a lead whose id is no UUID',
    statements: ['4.2/lead_id', '4.2/errors'],
    needs: ['advertiser'],
    async run(target) {
      for (const lead_id of ['7', 'lead-1', `${crypto.randomUUID()}0`])
        expectSomeRefusal(await reportStatus(target, lead_id, 'converted'))
    },
  },
  {
    id: 'open/names-the-lead-that-is-no-uuid',
    title: 'refuses an id that is no UUID with a 400 that names lead_id',
    statements: ['4.2/lead_id'],
    needs: ['advertiser'],
    weight: 'interpretation',
    async run(target) {
      expectFieldRefused(await reportStatus(target, 'lead-1', 'converted'), 'lead_id')
    },
  },
  {
    id: 'open/does-not-find-an-unknown-lead',
    title: 'answers the update of an unknown lead with 404, once the body is right',
    statements: ['open/error.not_found', '4.2/lead_id'],
    needs: ['advertiser'],
    weight: 'interpretation',
    async run(target) {
      expectCode(await reportStatus(target, crypto.randomUUID(), 'converted'), 'not_found')
      expectRefusal(await reportStatus(target, crypto.randomUUID(), { status: 1 }), 400)
    },
  },
  {
    id: 'open/hides-leads-of-other-advertisers',
    title: "answers the update of another advertiser's lead as that of an unknown one",
    statements: ['open/other_advertiser', 'open/error.not_found'],
    needs: ['second_advertiser'],
    weight: 'interpretation',
    async run(target) {
      for await (const { responses, holders } of heldLeads(target)) {
        const advertiser = responses.findIndex(({ status }) => status !== 200)
        const response = responses[advertiser]
        if (!response || holders === 0) continue
        expectCode(response, 'not_found')
        const unknown = await reportStatus(target, crypto.randomUUID(), 'registration', { advertiser })
        return expectSame('the response', response.text, unknown.text)
      }
      throw new Unclear('No lead was found that one advertiser has and another has not.')
    },
  },
  {
    id: 'open/hides-leads-of-no-advertiser',
    title: 'answers the update of a lead that no advertiser has, be it new or rejected, as that of an unknown one',
    statements: ['open/error.not_found', '4.2/lead_id'],
    needs: ['advertiser', 'account'],
    weight: 'interpretation',
    async run(target) {
      const unknown = await reportStatus(target, crypto.randomUUID(), 'converted')
      for (const name of ['new', 'geographicRestriction'] as const) {
        const { json } = await target.submit(leadsOf(target, name)[0])
        if (json?.status === 'distributed' || typeof json?.lead_id !== 'string')
          throw new Unclear(`The test lead ${name} came to no lead that is kept and that no advertiser has.`)
        const response = await reportStatus(target, json.lead_id, 'converted')
        expectCode(response, 'not_found')
        expectSame('the response', response.text, unknown.text)
      }
    },
  },
  {
    id: 'open/takes-ids-in-capital-letters',
    title: 'takes ids in capital letters for the same ids',
    statements: ['4.2/lead_id', '4.2/advertiser_id'],
    needs: ['advertiser'],
    weight: 'interpretation',
    async run(target) {
      const lead_id = await target.distributedLead()
      const advertiser_id = target.facts.advertisers[0]?.advertiser_id.toUpperCase()
      const response = await reportStatus(target, lead_id.toUpperCase(), { status: 'converted', advertiser_id })
      expectTaken(response, lead_id, 'converted')
    },
  },
]

/** Updates that come again (Spec 3; fixed choices). */
export const repeatCases: readonly ConformanceCase[] = [
  {
    id: 'open/answers-the-repeat-alike',
    title: 'answers a status that is reported again with the same 200, by each method that it takes',
    statements: ['4.2/reply.status', '3/ignored'],
    needs: ['advertiser'],
    weight: 'interpretation',
    async run(target) {
      const lead_id = await target.distributedLead()
      const methods = (await target.interpretation('status_methods')) ?? [undefined]
      for (const method of [...methods, ...methods])
        expectTaken(await reportStatus(target, lead_id, 'converted', method && { method }), lead_id, 'converted')
    },
  },
  {
    id: 'open/repeats-each-name',
    title: 'repeats each of the two names of an event as it was reported',
    statements: ['4.2/reply.status', '6.1/rule-1'],
    needs: ['advertiser'],
    weight: 'interpretation',
    async run(target) {
      const lead_id = await target.distributedLead()
      for (const event of pixelEvents)
        for (const status of [usageNameOf[event], event])
          expectTaken(await reportStatus(target, lead_id, status), lead_id, status)
    },
  },
]
