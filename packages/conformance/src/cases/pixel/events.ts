import {
  acceptedPixelEvents,
  canonicalEvent,
  maxRefLength,
  type PixelEvent,
  pixelEvents,
} from '@lead-distribution/contract'
import { type ConformanceCase, needing } from '../../conformance-case.ts'
import {
  expectCode,
  expectEvent,
  expectFieldRefused,
  expectOf,
  expectSame,
  expectSomeRefusal,
  expectStatus,
} from '../../expectations.ts'
import { firePixel, knownInterpretation } from '../../report-status.ts'

const isOfEnumeration = (event: string) => pixelEvents.some(each => each === event)

/** Events that the pixel must refuse, as the text after `event=` in the query. */
const unknown: readonly (readonly [name: string, event: string])[] = [
  ['an event of no list', 'nonsense'],
  ['an empty event', ''],
  ['two events joined by a comma', 'approved%2Crejected'],
]

/** More events that our interpretation refuses. */
const unknownToUs: typeof unknown = [
  ['converted, which is a status of the body', 'converted'],
  ['an event in capital letters', 'APPROVED'],
  ['an event with a space behind it', 'approved%20'],
]

const idOf = (name: string) => name.replaceAll(/[ ,]+/g, '-')
/** The events of the pixel (Spec 4.3, 6.1). */
export const eventCases = needing(
  ['advertiser', 'postback_secret'],
  [
    ...acceptedPixelEvents.map(
      (event): ConformanceCase => ({
        id: isOfEnumeration(event) ? `4.3/takes-${event}` : `6.1/takes-${event}`,
        title: isOfEnumeration(event)
          ? `accepts the event ${event} as received`
          : `accepts the event ${event} as ${canonicalEvent(event)}`,
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
        // The specification says that the names of the second list should be accepted, not that they must.
        weight: isOfEnumeration(event) ? 'specification' : 'interpretation',
        async run(target) {
          const lead_id = await target.distributedLead()
          expectEvent(await firePixel(target, lead_id, event), lead_id, canonicalEvent(event) as PixelEvent, 'received')
        },
      }),
    ),
    ...unknown.map(
      ([name, event]): ConformanceCase => ({
        id: `4.3/refuses-${idOf(name)}`,
        title: `refuses ${name} and records nothing`,
        statements: ['4.3/event'],
        async run(target) {
          const lead_id = await target.distributedLead()
          expectSomeRefusal(await firePixel(target, lead_id, event))
          expectEvent(await firePixel(target, lead_id, 'approved'), lead_id, 'approved', 'received')
        },
      }),
    ),
    ...[...unknown, ...unknownToUs].map(
      ([name, event]): ConformanceCase => ({
        id: `open/refuses-${idOf(name)}-with-400`,
        title: `returns a 400 that names the parameter for ${name}, and records nothing`,
        statements: ['4.3/event'],
        async run(target) {
          const lead_id = await target.distributedLead()
          const response = await firePixel(target, lead_id, event)
          expectCode(response, 'validation_error')
          expectFieldRefused(response, 'event')
          expectEvent(await firePixel(target, lead_id, 'approved'), lead_id, 'approved', 'received')
        },
      }),
    ),
  ],
)

/** Queries that our interpretation refuses: the rest of the query after the event, and the named parameter. */
const refused: readonly (readonly [name: string, more: string, field: string])[] = [
  ['an event that is given twice', '&event=approved', 'event'],
  ['a reference that is given twice', '&ref=1&ref=2', 'ref'],
  ['a token that is given twice', '&token=x', 'token'],
  [`a reference of ${maxRefLength + 1} characters`, `&ref=${'r'.repeat(maxRefLength + 1)}`, 'ref'],
]

/** The other parameters and methods of the pixel (Spec 4.3; fixed choices). */
export const parameterCases = needing(
  ['advertiser', 'postback_secret'],
  [
    {
      id: '4.3/needs-an-event',
      title: 'refuses a call without an event',
      statements: ['4.3/event'],
      async run(target) {
        expectSomeRefusal(await target.call('GET', await target.postbackUrl(await target.distributedLead())))
      },
    },
    {
      id: 'open/names-the-missing-event',
      title: 'refuses a call without an event with a 400 that names the parameter',
      statements: ['4.3/event'],
      async run(target) {
        const response = await target.call('GET', await target.postbackUrl(await target.distributedLead()))
        expectCode(response, 'validation_error')
        expectFieldRefused(response, 'event')
      },
    },
    ...['AB-1', 'A%26B%20%C3%B1', '%3Cb%3E'].map(
      (ref, place): ConformanceCase => ({
        id: `4.3/takes-${['a-plain', 'an-escaped', 'a-marked'][place]}-reference`,
        title: `accepts the advertiser's own reference, such as ${decodeURIComponent(ref)}`,
        statements: ['4.3/ref'],
        async run(target) {
          const lead_id = await target.distributedLead()
          const response = await firePixel(target, lead_id, 'approved', `&ref=${ref}`)
          expectEvent(response, lead_id, 'approved', 'received')
        },
      }),
    ),
    {
      id: 'open/takes-the-longest-reference',
      title: `accepts a reference of ${maxRefLength} characters, and unknown parameters`,
      statements: ['4.3/ref'],
      async run(target) {
        const lead_id = await target.distributedLead()
        const more = `&ref=${'r'.repeat(maxRefLength)}&utm_source=x&constructor=y&__proto__=z`
        expectEvent(await firePixel(target, lead_id, 'approved', more), lead_id, 'approved', 'received')
      },
    },
    ...refused.map(
      ([name, more, field]): ConformanceCase => ({
        id: `open/refuses-${name.replaceAll(' ', '-')}`,
        title: `returns a 400 that names the parameter for ${name}`,
        statements: [field === 'ref' ? '4.3/ref' : '4.3/event'],
        async run(target) {
          const lead_id = await target.distributedLead()
          const response = await firePixel(target, lead_id, 'approved', more)
          expectCode(response, 'validation_error')
          expectFieldRefused(response, field)
          expectEvent(await firePixel(target, lead_id, 'approved'), lead_id, 'approved', 'received')
        },
      }),
    ),
    {
      id: 'open/records-nothing-by-head',
      title: 'refuses HEAD with 405 and records nothing, because a link preview is not a report',
      statements: ['open/error.method_not_allowed', '4.3/method_and_path'],
      async run(target) {
        expectSame('the effect of HEAD', await knownInterpretation(target, 'pixel_head'), 'records_nothing')
        const response = await target.call(
          'HEAD',
          `${await target.postbackUrl(await target.distributedLead())}&event=approved`,
        )
        expectStatus(response, 405)
        expectOf(response, response.headers.get('allow')?.includes('GET') === true, 'an Allow header with GET')
      },
    },
  ],
)
