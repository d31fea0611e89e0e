import { maxRefLength } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectCode, expectFieldRefused } from '../../expectations/expect-error.ts'
import { expectOf, expectSame, expectStatus } from '../../expectations/expect-reply.ts'
import { expectEvent, expectSomeRefusal } from '../../expectations/expect-report.ts'
import { Unclear } from '../../mismatch.ts'
import { firePixel } from '../../report-status.ts'

const needs = ['advertiser', 'postback_secret'] as const

/** What of the query a reading of ours refuses: what follows the event, and the parameter that is named. */
const refused: readonly (readonly [words: string, more: string, field: string])[] = [
  ['an event that is given twice', '&event=approved', 'event'],
  ['a reference that is given twice', '&ref=1&ref=2', 'ref'],
  ['a token that is given twice', '&token=x', 'token'],
  [`a reference of ${maxRefLength + 1} characters`, `&ref=${'r'.repeat(maxRefLength + 1)}`, 'ref'],
]

/** The other parameters of the pixel, and its other methods (Spec 4.3; fixed choices). */
export const parameterCases: readonly ConformanceCase[] = [
  {
    id: '4.3/needs-an-event',
    title: 'refuses a call without an event',
    statements: ['4.3/event'],
    needs,
    async run(target) {
      expectSomeRefusal(await target.call('GET', await target.postbackUrl(await target.distributedLead())))
    },
  },
  {
    id: 'open/names-the-missing-event',
    title: 'refuses a call without an event with a 400 that names the parameter',
    statements: ['4.3/event'],
    needs,
    weight: 'reading',
    async run(target) {
      const reply = await target.call('GET', await target.postbackUrl(await target.distributedLead()))
      expectCode(reply, 'validation_error')
      expectFieldRefused(reply, 'event')
    },
  },
  ...['AB-1', 'A%26B%20%C3%B1', '%3Cb%3E'].map(
    (ref, place): ConformanceCase => ({
      id: `4.3/takes-${['a-plain', 'an-escaped', 'a-marked'][place]}-reference`,
      title: `takes the advertiser's own reference, such as ${decodeURIComponent(ref)}`,
      statements: ['4.3/ref'],
      needs,
      async run(target) {
        const lead_id = await target.distributedLead()
        const reply = await firePixel(target, lead_id, 'approved', `&ref=${ref}`)
        expectEvent(reply, lead_id, 'approved', 'received')
      },
    }),
  ),
  {
    id: 'open/takes-the-longest-reference',
    title: `takes a reference of ${maxRefLength} characters, and parameters that it does not know`,
    statements: ['4.3/ref'],
    needs,
    weight: 'reading',
    async run(target) {
      const lead_id = await target.distributedLead()
      const more = `&ref=${'r'.repeat(maxRefLength)}&utm_source=x&constructor=y&__proto__=z`
      expectEvent(await firePixel(target, lead_id, 'approved', more), lead_id, 'approved', 'received')
    },
  },
  ...refused.map(
    ([words, more, field]): ConformanceCase => ({
      id: `open/refuses-${words.replaceAll(' ', '-')}`,
      title: `refuses ${words} with a 400 that names it`,
      statements: [field === 'ref' ? '4.3/ref' : '4.3/event'],
      needs,
      weight: 'reading',
      async run(target) {
        const lead_id = await target.distributedLead()
        const reply = await firePixel(target, lead_id, 'approved', more)
        expectCode(reply, 'validation_error')
        expectFieldRefused(reply, field)
        expectEvent(await firePixel(target, lead_id, 'approved'), lead_id, 'approved', 'received')
      },
    }),
  ),
  {
    id: 'open/records-nothing-by-head',
    title: 'answers HEAD with 405 and records nothing: a link preview is no report',
    statements: ['open/error.method_not_allowed', '4.3/method_and_path'],
    needs,
    weight: 'reading',
    async run(target) {
      const { reading, known_by } = await target.finding('pixel_head')
      if (!reading) throw new Unclear(known_by)
      expectSame('what a HEAD does', reading, 'records_nothing')
      const reply = await target.call(
        'HEAD',
        `${await target.postbackUrl(await target.distributedLead())}&event=approved`,
      )
      expectStatus(reply, 405)
      expectOf(reply, reply.headers.get('allow')?.includes('GET') === true, 'a header Allow with GET')
    },
  },
]
