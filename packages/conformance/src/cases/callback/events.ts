import { acceptedPixelEvents, canonicalEvent, convertedStatus, usageEvent } from '@lead-distribution/contract'
import { type ConformanceCase, Unclear } from '../../conformance-case.ts'
import { expectSame, expectStatus } from '../../expectations.ts'
import { firePixel, recordEvent, reportStatus } from '../../report-status.ts'
import type { InterpretationOf } from '../../target.ts'
import { callbackCase, callbackCaseOf, callbackOf, callbacksUpTo, eventsOf } from './callback-case.ts'

const nameBy: Readonly<Record<InterpretationOf['callback_event_names'], (reported: string) => string>> = {
  usage: usageEvent,
  enum: canonicalEvent,
  as_reported: reported => reported,
}

/** Events that the publisher is notified of (Spec 3, 6.2; point 6). */
export const eventCases: readonly ConformanceCase[] = [
  callbackCase({
    id: '6.2/notifies-of-a-conversion',
    title: 'notifies the publisher that a lead has converted',
    statements: ['6.2/rule-1', '4.2/purpose'],
    async run(ends) {
      const lead_id = await ends.target.distributedLead()
      expectStatus(await reportStatus(ends.target, lead_id, convertedStatus), 200)
      await callbackOf(ends, lead_id)
    },
  }),
  callbackCase({
    id: '6.2/notifies-of-the-pixel',
    title: 'notifies the publisher of an event reported by pixel',
    statements: ['6.2/rule-1', '4.3/purpose', '3/received'],
    needs: ['postback_secret'],
    async run(ends) {
      const lead_id = await ends.target.distributedLead()
      expectStatus(await firePixel(ends.target, lead_id, 'completed'), 200)
      await callbackOf(ends, lead_id)
    },
  }),
  callbackCase({
    id: '6.2/notifies-of-each-event-once',
    title: 'notifies the publisher of each event of a lead once',
    statements: ['6.2/rule-1', '3/received'],
    async run(ends) {
      const lead_id = await ends.target.distributedLead()
      for (const event of ['approved', 'completed']) await recordEvent(ends.target, lead_id, event)
      const events = eventsOf(await callbacksUpTo(ends, lead_id)).map(canonicalEvent)
      expectSame('the events of the callbacks', events.toSorted(), ['approved', 'completed'])
    },
  }),
  callbackCase({
    id: '3/notifies-of-no-repeat',
    title: 'sends no callback for an event that it ignored',
    statements: ['3/ignored', '4.3/rule-3'],
    needs: ['postback_secret'],
    async run(ends) {
      const lead_id = await ends.target.distributedLead()
      for (const _ of [1, 2, 3]) expectStatus(await firePixel(ends.target, lead_id, 'approved'), 200)
      const events = eventsOf(await callbacksUpTo(ends, lead_id)).map(canonicalEvent)
      expectSame('the events of the callbacks', events, ['approved'])
    },
  }),
  callbackCase({
    id: '3/notifies-of-nothing-refused',
    title: 'sends no callback for a report that it refused',
    statements: ['3/received', '6.2/nothing_else'],
    needs: ['postback_secret'],
    async run(ends) {
      const { target } = ends
      const lead_id = await target.distributedLead()
      const path = `/lead/${lead_id}/status`
      await target.call('GET', `${path}?token=wrong&event=approved`)
      await target.call('POST', path, { body: { status: 'approved' } })
      await firePixel(target, lead_id, 'nonsense')
      await reportStatus(target, lead_id, { status: 'approved', metadata: { amount: '5000' } })
      expectSame('the events of the callbacks', eventsOf(await callbacksUpTo(ends, lead_id)), [])
    },
  }),
  callbackCase({
    id: 'open/notifies-of-both-forms-once',
    title: 'notifies once of an event reported by pixel and status update under both of its names',
    statements: ['4.2/purpose', '4.3/purpose', '4.3/rule-3', '6.1/rule-1'],
    needs: ['postback_secret'],
    async run(ends) {
      const lead_id = await ends.target.distributedLead()
      for (const name of ['loan_paid', 'completed']) {
        expectStatus(await firePixel(ends.target, lead_id, name), 200)
        expectStatus(await reportStatus(ends.target, lead_id, name), 200)
      }
      expectSame('the number of callbacks', (await callbacksUpTo(ends, lead_id)).length, 1)
    },
  }),
  callbackCaseOf('callback_event_names', {
    id: 'open/names-events-by-one-list',
    title: 'takes all event names in callbacks from the same list',
    statements: ['open/callback_event_names', '6.2/event'],
    async run(ends, interpretation) {
      const leads: { lead_id: string; reported: string }[] = []
      for (const reported of acceptedPixelEvents) {
        const lead_id = await ends.target.distributedLead()
        await recordEvent(ends.target, lead_id, reported)
        leads.push({ lead_id, reported })
      }
      for (const { lead_id, reported } of leads) {
        const [event] = eventsOf([await callbackOf(ends, lead_id)])
        expectSame(`the event of the callback for ${reported}`, event, nameBy[interpretation](reported))
      }
    },
  }),
  callbackCase({
    id: 'open/names-converted-as-it-is',
    title: 'keeps the name converted in the callback',
    statements: ['6.2/event'],
    async run(ends) {
      const lead_id = await ends.target.distributedLead()
      const { status } = await reportStatus(ends.target, lead_id, convertedStatus)
      if (status !== 200) throw new Unclear(`The response to the status ${convertedStatus} is ${status}.`)
      expectSame('the event of the callback', eventsOf([await callbackOf(ends, lead_id)]), [convertedStatus])
    },
  }),
]
