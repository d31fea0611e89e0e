import { type PixelEvent, pixelEvents, usageNameOf } from '@lead-distribution/contract'
import { type ConformanceCase, needing, Unclear } from '../../conformance-case.ts'
import { expectEvent, expectTaken } from '../../expectations.ts'
import { firePixel, reportStatus } from '../../report-status.ts'
import type { Target } from '../../target.ts'

/** Reports an event by status update under this name. Skips the case if the target doesn't accept that. */
async function report(target: Target, lead_id: string, status: string): Promise<void> {
  const response = await reportStatus(target, lead_id, status)
  if (response.status !== 200)
    throw new Unclear(`The status ${status} is not accepted by status update: the response is ${response.status}.`)
}

/** Repeated reports, also in the other form or under the other name (Spec 4.3 rule 3; fixed choices). */
export const repeatCases = needing(
  ['advertiser', 'postback_secret'],
  [
    ...pixelEvents.map(
      (event: PixelEvent): ConformanceCase => ({
        id: `4.3/ignores-the-repeat-of-${event}`,
        title: `ignores every repeat of ${event}`,
        statements: ['4.3/rule-3', '3/received', '3/ignored', '4.3/reply.status'],
        async run(target) {
          const lead_id = await target.distributedLead()
          expectEvent(await firePixel(target, lead_id, event), lead_id, event, 'received')
          for (const _ of [1, 2]) expectEvent(await firePixel(target, lead_id, event), lead_id, event, 'ignored')
        },
      }),
    ),
    {
      id: '4.3/takes-each-event-of-a-lead',
      title: 'accepts each event once for each lead',
      statements: ['4.3/rule-3', '3/received'],
      async run(target) {
        for (const lead_id of [await target.distributedLead(), await target.distributedLead()])
          for (const event of pixelEvents)
            expectEvent(await firePixel(target, lead_id, event), lead_id, event, 'received')
      },
    },
    {
      id: '4.3/takes-one-of-two-at-once',
      title: 'receives one of several simultaneous reports of an event and ignores the others',
      statements: ['4.3/rule-3'],
      async run(target) {
        const lead_id = await target.distributedLead()
        // Builds the URL first, so that the calls go out together.
        await target.postbackUrl(lead_id)
        const responses = await Promise.all([1, 2, 3, 4].map(() => firePixel(target, lead_id, 'approved')))
        const [first, ...others] = responses.toSorted((a, b) => (a.text < b.text ? 1 : -1))
        if (first) expectEvent(first, lead_id, 'approved', 'received')
        for (const response of others) expectEvent(response, lead_id, 'approved', 'ignored')
      },
    },
    {
      id: '4.3/ignores-what-the-body-reported',
      title: 'ignores an event by pixel after a status update with the same name',
      statements: ['4.3/purpose', '4.2/purpose', '4.3/rule-3'],
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
          title: `treats ${event} and ${other} as one event, by pixel and across both forms`,
          statements: ['6.1/rule-1', `6.1/${event}`, `6.1/${other}`, '4.3/rule-3', '4.2/purpose'],
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
      title: "treats converted as a separate event that doesn't affect others",
      statements: ['4.2/status'],
      async run(target) {
        const lead_id = await target.distributedLead()
        await report(target, lead_id, 'converted')
        for (const event of pixelEvents)
          expectEvent(await firePixel(target, lead_id, event), lead_id, event, 'received')
      },
    },
  ],
)
