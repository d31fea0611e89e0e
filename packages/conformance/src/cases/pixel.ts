import {
  acceptedPixelEvents,
  canonicalEvent,
  keyHeader,
  leadToken,
  maxRefLength,
  type PixelEvent,
  pixelEvents,
  type TokenFormat,
  type TokenSubject,
  usageNameOf,
} from '@lead-distribution/contract'
import { type ConformanceCase, casesOf, idOf, knownInterpretation, rowsFrom, Unclear } from '../case.ts'
import {
  expectAllow,
  expectAnyRefusal,
  expectCode,
  expectEvent,
  expectFieldRefused,
  expectRefused,
  expectSame,
  expectStatus,
  expectUpdated,
} from '../expectations.ts'
import { firePixel, reportStatus, testLeads } from '../requests.ts'
import type { Target, TargetResponse } from '../target.ts'

const needs = ['advertiser', 'postback_secret'] as const

/** Fires the pixel of a lead, and expects this outcome. */
async function expectFired(
  target: Target,
  lead_id: string,
  event: PixelEvent,
  outcome: 'received' | 'ignored',
  { as = event, more = '' }: { as?: string; more?: string } = {},
): Promise<void> {
  expectEvent(await firePixel(target, lead_id, as, more), lead_id, event, outcome)
}

/** Expects the pixel of a new lead to be refused, and to record nothing. */
async function expectNothingRecorded(
  target: Target,
  event: string,
  more: string,
  expectation: (response: TargetResponse) => void,
): Promise<void> {
  const lead_id = await target.distributedLead()
  expectation(await firePixel(target, lead_id, event, more))
  await expectFired(target, lead_id, 'approved', 'received')
}

/** Expects a 400 that names a parameter. */
function expectParameterRefused(response: TargetResponse, name: string): void {
  expectCode(response, 'validation_error')
  expectFieldRefused(response, name)
}

const eventStatements = [
  '6.1/rule-1',
  '4.3/method_and_path',
  '4.3/lead_id',
  '4.3/event',
  '4.3/reply.lead_id',
  '4.3/reply.event',
  '4.3/reply.status',
  '5/rule-2',
] as const

/** The specification says that the names of the second list should be accepted, not that they must. */
const acceptedEvent = (event: (typeof acceptedPixelEvents)[number]) => {
  const isOfEnumeration = pixelEvents.some(each => each === event)
  return casesOf(
    [`6.1/${event}`, ...eventStatements],
    needs,
    {
      [isOfEnumeration ? `4.3/accepts-the-event-${event}` : `6.1/accepts-${event}-as-${canonicalEvent(event)}`]:
        async target => {
          const lead_id = await target.distributedLead()
          await expectFired(target, lead_id, canonicalEvent(event) as PixelEvent, 'received', { as: event })
        },
    },
    { weight: isOfEnumeration ? 'specification' : 'interpretation' },
  )
}

/** Events that the pixel must refuse, as the text after `event=` in the query. */
const unknownEvents: readonly (readonly [name: string, event: string])[] = [
  ['an unlisted event', 'nonsense'],
  ['an empty event', ''],
  ['two events joined by a comma', 'approved%2Crejected'],
]

/** More events that our interpretation refuses. */
const unknownToUs: typeof unknownEvents = [
  ['converted', 'converted'],
  ['an event in uppercase', 'APPROVED'],
  ['an event with a space at its end', 'approved%20'],
]

/** Queries that our interpretation refuses: the rest of the query after the event, and the named parameter. */
const refusedQueries: readonly (readonly [name: string, more: string, field: 'event' | 'ref' | 'token'])[] = [
  ['a repeated event parameter', '&event=approved', 'event'],
  ['a repeated ref parameter', '&ref=1&ref=2', 'ref'],
  ['a repeated token parameter', '&token=x', 'token'],
  [`a ref of ${maxRefLength + 1} characters`, `&ref=${'r'.repeat(maxRefLength + 1)}`, 'ref'],
]

const acceptedRefs: readonly (readonly [name: string, ref: string])[] = [
  ['a plain ref', 'AB-1'],
  ['an escaped ref', 'A%26B%20%C3%B1'],
  ['a ref with markup', '%3Cb%3E'],
]

const fireWithoutEvent = async (target: Target) =>
  target.call('GET', await target.postbackUrl(await target.distributedLead()))

/** Events, parameters and methods of the pixel (Spec 4.3, 6.1; fixed choices). */
const events: readonly ConformanceCase[] = [
  ...acceptedPixelEvents.flatMap(acceptedEvent),
  ...casesOf(['4.3/event'], needs, {
    ...rowsFrom(unknownEvents, ([name, event]) => [
      `4.3/refuses-${idOf(name)}`,
      target => expectNothingRecorded(target, event, '', expectAnyRefusal),
    ]),
    ...rowsFrom([...unknownEvents, ...unknownToUs], ([name, event]) => [
      `open/returns-400-and-the-parameter-for-${idOf(name)}`,
      target => expectNothingRecorded(target, event, '', each => expectParameterRefused(each, 'event')),
    ]),
    '4.3/requires-an-event': [fireWithoutEvent, expectAnyRefusal],
    'open/returns-400-and-the-parameter-for-a-missing-event': [
      fireWithoutEvent,
      response => expectParameterRefused(response, 'event'),
    ],
  }),
  ...casesOf(['4.3/ref', '4.3/event'], needs, {
    ...rowsFrom(acceptedRefs, ([name, ref]) => [
      `4.3/accepts-${idOf(name)}`,
      async target =>
        expectFired(target, await target.distributedLead(), 'approved', 'received', { more: `&ref=${ref}` }),
    ]),
    async 'open/accepts-the-longest-ref-and-unknown-parameters'(target) {
      const more = `&ref=${'r'.repeat(maxRefLength)}&utm_source=x&constructor=y&__proto__=z`
      await expectFired(target, await target.distributedLead(), 'approved', 'received', { more })
    },
    ...rowsFrom(refusedQueries, ([name, more, field]) => [
      `open/returns-400-and-the-parameter-for-${idOf(name)}`,
      target => expectNothingRecorded(target, 'approved', more, each => expectParameterRefused(each, field)),
    ]),
  }),
  ...casesOf(['open/error.method_not_allowed', '4.3/method_and_path'], needs, {
    async 'open/returns-405-for-head-and-records-nothing'(target) {
      expectSame('the effect of HEAD', await knownInterpretation(target, 'pixel_head'), 'records_nothing')
      const url = await target.postbackUrl(await target.distributedLead())
      const response = await target.call('HEAD', `${url}&event=approved`)
      expectStatus(response, 405)
      expectAllow(response, 'GET')
    },
  }),
]

/** Reports an event by status update under this name. Skips the case if the target doesn't accept that. */
async function reportByBody(target: Target, lead_id: string, status: string): Promise<void> {
  const response = await reportStatus(target, lead_id, status)
  if (response.status !== 200)
    throw new Unclear(`The status ${status} is not accepted by status update: the response is ${response.status}.`)
}

/** An event with its two names. */
const twoNames = ([event, other]: readonly [PixelEvent, EventNameOfUsage]) =>
  casesOf(['6.1/rule-1', `6.1/${event}`, `6.1/${other}`, '4.3/rule-3', '4.2/purpose'], needs, {
    async [`open/treats-${event}-and-${other}-as-one-event`](target) {
      const [one, two, three] = [
        await target.distributedLead(),
        await target.distributedLead(),
        await target.distributedLead(),
      ]
      await expectFired(target, one, event, 'received', { as: other })
      await expectFired(target, one, event, 'ignored')
      await reportByBody(target, two, other)
      await expectFired(target, two, event, 'ignored')
      await expectFired(target, three, event, 'received')
      expectUpdated(await reportStatus(target, three, other), three, other)
    },
  })

type EventNameOfUsage = (typeof usageNameOf)[PixelEvent]

/** Repeated reports, also in the other form or under the other name (Spec 4.3 rule 3; fixed choices). */
const repeats: readonly ConformanceCase[] = [
  ...casesOf(['4.3/rule-3', '3/received', '3/ignored', '4.3/reply.status'], needs, {
    ...rowsFrom(pixelEvents, event => [
      `4.3/ignores-every-repeat-of-${event}`,
      async target => {
        const lead_id = await target.distributedLead()
        for (const outcome of ['received', 'ignored', 'ignored'] as const)
          await expectFired(target, lead_id, event, outcome)
      },
    ]),
    async '4.3/accepts-each-event-once-for-each-lead'(target) {
      for (const lead_id of [await target.distributedLead(), await target.distributedLead()])
        for (const event of pixelEvents) await expectFired(target, lead_id, event, 'received')
    },
    async '4.3/receives-one-of-several-simultaneous-reports-of-an-event'(target) {
      const lead_id = await target.distributedLead()
      // Builds the URL first, so that the requests go out together.
      await target.postbackUrl(lead_id)
      const responses = await Promise.all([1, 2, 3, 4].map(() => firePixel(target, lead_id, 'approved')))
      const sorted = responses.toSorted((a, b) => (a.text < b.text ? 1 : -1))
      for (const [place, response] of sorted.entries())
        expectEvent(response, lead_id, 'approved', place === 0 ? 'received' : 'ignored')
    },
  }),
  ...casesOf(['4.3/purpose', '4.2/purpose', '4.3/rule-3'], needs, {
    async '4.3/ignores-an-event-that-a-status-update-reported'(target) {
      const lead_id = await target.distributedLead()
      await reportByBody(target, lead_id, 'registration')
      await expectFired(target, lead_id, 'registration', 'ignored')
    },
  }),
  ...pixelEvents
    .map(event => [event, usageNameOf[event]] as const)
    .filter(([event, other]) => event !== other)
    .flatMap(twoNames),
  ...casesOf(['4.2/status'], needs, {
    async 'open/treats-converted-as-a-separate-event'(target) {
      const lead_id = await target.distributedLead()
      await reportByBody(target, lead_id, 'converted')
      for (const event of pixelEvents) await expectFired(target, lead_id, event, 'received')
    },
  }),
]

/** The secret and the values that a token is made from. */
interface Making {
  readonly subject: TokenSubject
  readonly format: TokenFormat
}

/** Tokens that the pixel of a lead must refuse; undefined means no token. */
const wrongTokens: Readonly<Record<string, (making: Making) => string | undefined | Promise<string>>> = {
  'no token': () => undefined,
  'an empty token': () => '',
  'a token that was never issued': async making => (await tokenOf(making)).replaceAll(/\w/g, '0'),
  'a token that is cut short': async making => (await tokenOf(making)).slice(0, -1),
  'a token with a character added': async making => `${await tokenOf(making)}0`,
  'a token by another secret': making => tokenOf(making, { postback_secret: `${making.subject.postback_secret}x` }),
  'a token over another lead': making => tokenOf(making, { lead_id: crypto.randomUUID() }),
  'a token over an unknown advertiser': making => tokenOf(making, { advertiser_id: crypto.randomUUID() }),
  'the secret in place of the token': ({ subject }) => subject.postback_secret,
}

const tokenOf = ({ subject, format }: Making, changes: Partial<TokenSubject> = {}) =>
  leadToken({ ...subject, ...changes }, format)

async function makingOf(target: Target, lead_id: string): Promise<Making> {
  const format = await knownInterpretation(target, 'token_format')
  const { advertiser_id = '', postback_secret = '' } = target.facts.advertisers[0] ?? {}
  return { subject: { lead_id, advertiser_id, postback_secret }, format }
}

function fire(target: Target, lead_id: string, token: string | undefined, more = '&event=approved') {
  const query = token === undefined ? more.slice(1) : `token=${encodeURIComponent(token)}${more}`
  return target.call('GET', `/lead/${lead_id}/status?${query}`)
}

/** Returns the token in another letter case, for a token with letters. */
const otherLetterCase = (token: string) => [token.toUpperCase(), token.toLowerCase()].filter(each => each !== token)

/** The token of the pixel (Spec 4.3 rule 1, 5; point 11). */
const tokens: readonly ConformanceCase[] = [
  ...casesOf(['5/rule-1', '5/rule-2', '4/apikey', '4.3/token', 'open/token_format'], needs, {
    async '5/accepts-the-hmac-of-lead-and-advertiser-without-a-key'(target) {
      const lead_id = await target.distributedLead()
      const response = await fire(target, lead_id, await tokenOf(await makingOf(target, lead_id)))
      expectEvent(response, lead_id, 'approved', 'received')
    },
  }),
  ...casesOf(['4.3/rule-1', '4.3/token', '5/rule-1', '5/rule-3', '7/401'], needs, {
    ...rowsFrom(Object.entries(wrongTokens), ([name, make]) => [
      `4.3/returns-401-for-${idOf(name)}`,
      async target => {
        const lead_id = await target.distributedLead()
        expectRefused(await fire(target, lead_id, await make(await makingOf(target, lead_id))), 401)
        await expectFired(target, lead_id, 'approved', 'received')
      },
    ]),
    async '4.3/returns-401-for-the-token-of-another-lead'(target) {
      const [lead_id, other] = [await target.distributedLead(), await target.distributedLead()]
      const token = await tokenOf(await makingOf(target, other))
      expectRefused(await fire(target, lead_id, token), 401)
      expectEvent(await fire(target, other, token), other, 'approved', 'received')
    },
    async 'open/refuses-a-token-in-another-letter-case'(target) {
      const lead_id = await target.distributedLead()
      const [other] = otherLetterCase(await tokenOf(await makingOf(target, lead_id)))
      if (other === undefined) throw new Unclear('The token has no letters.')
      expectRefused(await fire(target, lead_id, other), 401)
    },
  }),
  ...casesOf(['4.3/rule-1', '5/where', 'open/error.unauthorized'], needs, {
    async '4.3/returns-401-for-a-key-in-place-of-the-token'(target) {
      const lead_id = await target.distributedLead()
      const key = target.facts.advertisers[0]?.api_key ?? ''
      expectRefused(await target.call('GET', `/lead/${lead_id}/status?event=approved`, { key }), 401)
      expectRefused(await fire(target, lead_id, undefined, `&event=approved&${keyHeader}=${key}`), 401)
    },
    async 'open/refuses-a-key-in-the-query-besides-the-token'(target) {
      const key = encodeURIComponent(target.facts.advertisers[0]?.api_key ?? '')
      const response = await firePixel(target, await target.distributedLead(), 'approved', `&${keyHeader}=${key}`)
      expectCode(response, 'unauthorized')
    },
    async 'open/returns-the-same-401-for-every-wrong-token-before-any-other-check'(target) {
      const lead_id = await target.distributedLead()
      const making = await makingOf(target, lead_id)
      const token = await tokenOf(making)
      const unknown = crypto.randomUUID()
      const responses = [
        await fire(target, unknown, await tokenOf(making, { lead_id: unknown })),
        await fire(target, 'lead-1', token),
        await fire(target, lead_id, undefined, '&ref=AB-1'),
      ]
      for (const make of Object.values(wrongTokens)) responses.push(await fire(target, lead_id, await make(making)))
      for (const other of otherLetterCase(token)) responses.push(await fire(target, lead_id, other))
      for (const more of ['', '&event=nonsense', '&token=wrong&event=a&event=b', `&ref=${'r'.repeat(300)}`])
        responses.push(await fire(target, lead_id, 'wrong', more))
      for (const response of responses) {
        expectCode(response, 'unauthorized')
        expectSame('the response', response.text, responses[0]?.text)
      }
    },
  }),
  ...casesOf(['4.3/rule-1', '4.3/token', 'open/error.unauthorized'], [...needs, 'account'], {
    async 'open/returns-401-for-the-pixel-of-a-lead-that-no-advertiser-has'(target) {
      const { json } = await target.submit(testLeads(target, 'new')[0])
      if (json?.status !== 'new')
        throw new Unclear('The lead that no advertiser should accept by their criteria is not new.')
      expectCode(await firePixel(target, json.lead_id, 'approved'), 'unauthorized')
    },
  }),
]

/** The pixel: events, repeats and tokens (Spec 4.3, 5, 6.1). */
export const pixelCases: readonly ConformanceCase[] = [...events, ...repeats, ...tokens]
