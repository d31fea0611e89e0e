import { acceptedPixelEvents, canonicalEvent, type PixelEvent, pixelEvents } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectCode, expectFieldRefused } from '../../expectations/expect-error.ts'
import { expectEvent, expectSomeRefusal } from '../../expectations/expect-report.ts'
import { firePixel } from '../../report-status.ts'

const isOfEnumeration = (event: string) => pixelEvents.some(each => each === event)

/** Events that the pixel does not have, as they stand in the query: what follows `event=`. */
const unknown: readonly (readonly [words: string, event: string])[] = [
  ['an event of no list', 'nonsense'],
  ['an empty event', ''],
  ['two events joined by a comma', 'approved%2Crejected'],
]

/** Further ones that a reading of ours refuses. */
const unknownAsWeRead: typeof unknown = [
  ['converted, which is a status of the body', 'converted'],
  ['an event in capital letters', 'APPROVED'],
  ['an event with a space behind it', 'approved%20'],
]

const idOf = (words: string) => words.replaceAll(/[ ,]+/g, '-')
const needs = ['advertiser', 'postback_secret'] as const

/** Which events the pixel takes (Spec 4.3, 6.1). */
export const eventCases: readonly ConformanceCase[] = [
  ...acceptedPixelEvents.map(
    (event): ConformanceCase => ({
      id: isOfEnumeration(event) ? `4.3/takes-${event}` : `6.1/takes-${event}`,
      title: isOfEnumeration(event)
        ? `takes the event ${event}, and says that it was received`
        : `takes the event ${event}, and calls it ${canonicalEvent(event)}`,
      statements: [
        `6.1/${event}`,
        '6.1/rule-1',
        '4.3/method_and_path',
        '4.3/lead_id',
        '4.3/event',
        '4.3/reply.lead_id',
        '4.3/reply.event',
        '4.3/reply.status',
        '5/rule-2',
      ],
      needs,
      // The names of the second list should be accepted, and need not.
      weight: isOfEnumeration(event) ? 'specification' : 'reading',
      async run(target) {
        const lead_id = await target.distributedLead()
        expectEvent(await firePixel(target, lead_id, event), lead_id, canonicalEvent(event) as PixelEvent, 'received')
      },
    }),
  ),
  ...unknown.map(
    ([words, event]): ConformanceCase => ({
      id: `4.3/refuses-${idOf(words)}`,
      title: `refuses ${words}, and records nothing`,
      statements: ['4.3/event'],
      needs,
      async run(target) {
        const lead_id = await target.distributedLead()
        expectSomeRefusal(await firePixel(target, lead_id, event))
        expectEvent(await firePixel(target, lead_id, 'approved'), lead_id, 'approved', 'received')
      },
    }),
  ),
  ...[...unknown, ...unknownAsWeRead].map(
    ([words, event]): ConformanceCase => ({
      id: `open/refuses-${idOf(words)}-with-400`,
      title: `refuses ${words} with a 400 that names the parameter, and records nothing`,
      statements: ['4.3/event'],
      needs,
      weight: 'reading',
      async run(target) {
        const lead_id = await target.distributedLead()
        const reply = await firePixel(target, lead_id, event)
        expectCode(reply, 'validation_error')
        expectFieldRefused(reply, 'event')
        expectEvent(await firePixel(target, lead_id, 'approved'), lead_id, 'approved', 'received')
      },
    }),
  ),
]
