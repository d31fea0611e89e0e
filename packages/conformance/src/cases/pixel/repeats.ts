import { type PixelEvent, pixelEvents, usageNameOf } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectEvent, expectTaken } from '../../expectations.ts'
import { Unclear } from '../../mismatch.ts'
import { firePixel, reportStatus } from '../../report-status.ts'
import type { Target } from '../../target.ts'

const needs = ['advertiser', 'postback_secret'] as const

/** Reports an event by body, by this name of it, where the target takes that. */
async function report(target: Target, lead_id: string, status: string): Promise<void> {
  const response = await reportStatus(target, lead_id, status)
  if (response.status !== 200)
    throw new Unclear(`The status ${status} is not taken by body: it is answered ${response.status}.`)
}

/** Reports that come again, also by the other form or the other name (Spec 4.3 rule 3; fixed choices). */
export const repeatCases: readonly ConformanceCase[] = [
  ...pixelEvents.map(
    (event: PixelEvent): ConformanceCase => ({
      id: `4.3/ignores-the-repeat-of-${event}`,
      title: `ignores the repeat of ${event}, as often as it comes`,
      statements: ['4.3/rule-3', '3/received', '3/ignored', '4.3/reply.status'],
      needs,
      async run(target) {
        const lead_id = await target.distributedLead()
        expectEvent(await firePixel(target, lead_id, event), lead_id, event, 'received')
        for (const _ of [1, 2]) expectEvent(await firePixel(target, lead_id, event), lead_id, event, 'ignored')
      },
    }),
  ),
  {
    id: '4.3/takes-each-event-of-a-lead',
    title: 'takes each event of a lead once, and that of another lead all the same',
    statements: ['4.3/rule-3', '3/received'],
    needs,
    async run(target) {
      for (const lead_id of [await target.distributedLead(), await target.distributedLead()])
        for (const event of pixelEvents)
          expectEvent(await firePixel(target, lead_id, event), lead_id, event, 'received')
    },
  },
  {
    id: '4.3/takes-one-of-two-at-once',
    title: 'receives one of several calls that report an event at once, and ignores the others',
    statements: ['4.3/rule-3'],
    needs,
    async run(target) {
      const lead_id = await target.distributedLead()
      // The URL is made before, so that the calls go out together.
      await target.postbackUrl(lead_id)
      const responses = await Promise.all([1, 2, 3, 4].map(() => firePixel(target, lead_id, 'approved')))
      const [first, ...others] = responses.toSorted((a, b) => (a.text < b.text ? 1 : -1))
      if (first) expectEvent(first, lead_id, 'approved', 'received')
      for (const response of others) expectEvent(response, lead_id, 'approved', 'ignored')
    },
  },
  {
    id: '4.3/ignores-what-the-body-reported',
    title: 'ignores an event by pixel that was reported by body under the same name',
    statements: ['4.3/purpose', '4.2/purpose', '4.3/rule-3'],
    needs,
    async run(target) {
      const lead_id = await target.distributedLead()
      await report(target, lead_id, 'registration')
      expectEvent(await firePixel(target, lead_id, 'registration'), lead_id, 'registration', 'ignored')
    },
  },
  ...pixelEvents
    .map(event => [event, usageNameOf[event]] as const)
    .filter(([event, other]) => event !== other)
    .map(
      ([event, other]): ConformanceCase => ({
        id: `open/takes-${event}-and-${other}-for-one`,
        title: `takes ${event} and ${other} for one event, by pixel and across both forms`,
        statements: ['6.1/rule-1', `6.1/${event}`, `6.1/${other}`, '4.3/rule-3', '4.2/purpose'],
        needs,
        weight: 'interpretation',
        async run(target) {
          const [one, two, three] = [
            await target.distributedLead(),
            await target.distributedLead(),
            await target.distributedLead(),
          ]
          expectEvent(await firePixel(target, one, other), one, event, 'received')
          expectEvent(await firePixel(target, one, event), one, event, 'ignored')
          await report(target, two, other)
          expectEvent(await firePixel(target, two, event), two, event, 'ignored')
          expectEvent(await firePixel(target, three, event), three, event, 'received')
          expectTaken(await reportStatus(target, three, other), three, other)
        },
      }),
    ),
  {
    id: 'open/takes-converted-for-an-event-of-its-own',
    title: 'takes converted for a separate event, which hides no other',
    statements: ['4.2/status'],
    needs,
    weight: 'interpretation',
    async run(target) {
      const lead_id = await target.distributedLead()
      await report(target, lead_id, 'converted')
      for (const event of pixelEvents) expectEvent(await firePixel(target, lead_id, event), lead_id, event, 'received')
    },
  },
]
