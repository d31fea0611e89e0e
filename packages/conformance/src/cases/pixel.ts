import {
  acceptedPixelEvents,
  canonicalEvent,
  type EventOutcome,
  keyHeader,
  leadToken,
  maxRefLength,
  type PixelEvent,
  pixelEvents,
  type TokenSubject,
  usageNameOf,
} from '@lead-distribution/contract'
import { type ConformanceCase, casesFrom, casesOf, knownInterpretation, type Run, Unclear } from '../case.ts'
import { expect } from '../expectations.ts'
import { firePixel, onNewLead, reportStatus, testLeads } from '../requests.ts'
import type { Target, TargetResponse } from '../target.ts'

const needs = ['advertiser', 'postback_secret'] as const

/** Fires the pixel of a lead, and expects this outcome. */
async function expectFired(
  target: Target,
  lead_id: string,
  event: PixelEvent,
  outcome: EventOutcome,
  { as = event, more = '' }: { as?: string; more?: string } = {},
): Promise<void> {
  expect.event(await firePixel(target, lead_id, as, more), lead_id, event, outcome)
}

/** Expects the pixel of a new lead to accept an event, with this text appended to the query. */
const accepts = (more: string): Run =>
  onNewLead((target, lead_id) => expectFired(target, lead_id, 'approved', 'received', { more }))

/** Expects the pixel of a new lead to refuse an event and to record nothing, with this text appended to the query. */
function refuses(event: string, more: string, expectation: (response: TargetResponse) => void): Run {
  return onNewLead(async (target, lead_id) => {
    expectation(await firePixel(target, lead_id, event, more))
    await expectFired(target, lead_id, 'approved', 'received')
  })
}

/** Expects a 400 that names a parameter. */
function expectParameterRefused(response: TargetResponse, name: string): void {
  expect.code(response, 'validation_error')
  expect.fieldRefused(response, name)
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
function acceptedEvent(name: (typeof acceptedPixelEvents)[number]): ConformanceCase[] {
  const event = canonicalEvent(name) as PixelEvent
  const id = name === event ? `4.3/accepts-the-event-${name}` : `6.1/accepts-${name}-as-${event}`
  const run = onNewLead((target, lead_id) => expectFired(target, lead_id, event, 'received', { as: name }))
  const weight = name === event ? 'specification' : 'interpretation'
  return casesOf([`6.1/${name}`, ...eventStatements], { needs, weight }, { [id]: run })
}

/** Events that the pixel must refuse, as the text after `event=` in the query. */
const unknownEvents = {
  'an-unlisted-event': 'nonsense',
  'an-empty-event': '',
  'two-events-joined-by-a-comma': 'approved%2Crejected',
}

/** More events that our interpretation refuses. */
const unknownToUs = {
  'the-event-converted': 'converted',
  'an-event-in-uppercase': 'APPROVED',
  'an-event-with-a-space-at-its-end': 'approved%20',
}

const acceptedRefs = {
  'a-plain-ref': 'AB-1',
  'an-escaped-ref': 'A%26B%20%C3%B1',
  'a-ref-with-markup': '%3Cb%3E',
}

/** Queries that our interpretation refuses: the rest of the query after the event, and the named parameter. */
const refusedQueries = {
  'a-repeated-event-parameter': ['&event=approved', 'event'],
  'a-repeated-ref-parameter': ['&ref=1&ref=2', 'ref'],
  'a-repeated-token-parameter': ['&token=x', 'token'],
  [`a-ref-of-${maxRefLength + 1}-characters`]: [`&ref=${'r'.repeat(maxRefLength + 1)}`, 'ref'],
} as const

const fireWithoutEvent = async (target: Target) =>
  target.call('GET', await target.postbackUrl(await target.distributedLead()))

/** Events, parameters and methods of the pixel (Spec 4.3, 6.1; fixed choices). */
const events: readonly ConformanceCase[] = [
  ...acceptedPixelEvents.flatMap(acceptedEvent),
  ...casesOf(['4.3/event'], needs, {
    ...casesFrom(unknownEvents, (name, event) => [`4.3/refuses-${name}`, refuses(event, '', expect.anyRefusal)]),
    ...casesFrom({ ...unknownEvents, ...unknownToUs }, (name, event) => [
      `open/returns-400-and-the-parameter-for-${name}`,
      refuses(event, '', response => expectParameterRefused(response, 'event')),
    ]),
    '4.3/requires-an-event': async target => expect.anyRefusal(await fireWithoutEvent(target)),
    'open/returns-400-and-the-parameter-for-a-missing-event': async target =>
      expectParameterRefused(await fireWithoutEvent(target), 'event'),
  }),
  ...casesOf(['4.3/ref', '4.3/event'], needs, {
    ...casesFrom(acceptedRefs, (name, ref) => [`4.3/accepts-${name}`, accepts(`&ref=${ref}`)]),
    'open/accepts-the-longest-ref-and-unknown-parameters': accepts(
      `&ref=${'r'.repeat(maxRefLength)}&utm_source=x&constructor=y&__proto__=z`,
    ),
    ...casesFrom(refusedQueries, (name, [more, parameter]) => [
      `open/returns-400-and-the-parameter-for-${name}`,
      refuses('approved', more, response => expectParameterRefused(response, parameter)),
    ]),
  }),
  ...casesOf(['open/error.method_not_allowed', '4.3/method_and_path'], needs, {
    async 'open/returns-405-for-head-and-records-nothing'(target) {
      expect.same('the effect of HEAD', await knownInterpretation(target, 'pixel_head'), 'records_nothing')
      const url = await target.postbackUrl(await target.distributedLead())
      const response = await target.call('HEAD', `${url}&event=approved`)
      expect.status(response, 405)
      expect.allow(response, 'GET')
    },
  }),
]

/** Reports an event under this name by status update. Skips the case if the target doesn't accept it. */
async function reportByBody(target: Target, lead_id: string, status: string): Promise<void> {
  const response = await reportStatus(target, lead_id, status)
  if (response.status !== 200)
    throw new Unclear(`The status ${status} is not accepted by status update: the response is ${response.status}.`)
}

/** An event with two names. */
function twoNames(event: PixelEvent): ConformanceCase[] {
  const other = usageNameOf[event]
  if (other === event) return []
  return casesOf(['6.1/rule-1', `6.1/${event}`, `6.1/${other}`, '4.3/rule-3', '4.2/purpose'], needs, {
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
      expect.updated(await reportStatus(target, three, other), three, other)
    },
  })
}

/** Repeated reports, also by the other method or under the other name (Spec 4.3 rule 3; fixed choices). */
const repeats: readonly ConformanceCase[] = [
  ...pixelEvents.flatMap(event =>
    casesOf(['4.3/rule-3', '3/received', '3/ignored', '4.3/reply.status'], needs, {
      [`4.3/ignores-every-repeat-of-${event}`]: onNewLead(async (target, lead_id) => {
        for (const outcome of ['received', 'ignored', 'ignored'] as const)
          await expectFired(target, lead_id, event, outcome)
      }),
    }),
  ),
  ...casesOf(['4.3/rule-3', '3/received', '3/ignored', '4.3/reply.status'], needs, {
    async '4.3/accepts-each-event-once-for-each-lead'(target) {
      for (const lead_id of [await target.distributedLead(), await target.distributedLead()])
        for (const event of pixelEvents) await expectFired(target, lead_id, event, 'received')
    },
    '4.3/receives-only-one-of-several-simultaneous-reports-of-an-event': onNewLead(async (target, lead_id) => {
      // Builds the URL first, so that the requests are concurrent.
      await target.postbackUrl(lead_id)
      const responses = await Promise.all([1, 2, 3, 4].map(() => firePixel(target, lead_id, 'approved')))
      const sorted = responses.toSorted((a, b) => (a.text < b.text ? 1 : -1))
      for (const [place, response] of sorted.entries())
        expect.event(response, lead_id, 'approved', place === 0 ? 'received' : 'ignored')
    }),
  }),
  ...casesOf(['4.3/purpose', '4.2/purpose', '4.3/rule-3'], needs, {
    '4.3/ignores-an-event-that-a-status-update-reported': onNewLead(async (target, lead_id) => {
      await reportByBody(target, lead_id, 'registration')
      await expectFired(target, lead_id, 'registration', 'ignored')
    }),
  }),
  ...pixelEvents.flatMap(twoNames),
  ...casesOf(['4.2/status'], needs, {
    'open/treats-converted-as-a-separate-event': onNewLead(async (target, lead_id) => {
      await reportByBody(target, lead_id, 'converted')
      for (const event of pixelEvents) await expectFired(target, lead_id, event, 'received')
    }),
  }),
]

/** Signs a token in the target's format, for the lead and its advertiser unless other values are given. */
type Sign = (changes?: Partial<TokenSubject>) => Promise<string>

/** Creates a case about a new lead's token. */
function onNewToken(run: (target: Target, lead_id: string, sign: Sign) => Promise<unknown>): Run {
  return onNewLead(async (target, lead_id) => run(target, lead_id, await signerOf(target, lead_id)))
}

async function signerOf(target: Target, lead_id: string): Promise<Sign> {
  const format = await knownInterpretation(target, 'token_format')
  const { advertiser_id = '', postback_secret = '' } = target.facts.advertisers[0] ?? {}
  return changes => leadToken({ lead_id, advertiser_id, postback_secret, ...changes }, format)
}

/** Tokens that a lead's pixel must refuse; undefined means no token. */
const wrongTokens: Readonly<Record<string, (sign: Sign, secret: string) => Promise<string | undefined>>> = {
  'a-missing-token': async () => undefined,
  'an-empty-token': async () => '',
  'a-token-that-was-never-issued': async sign => (await sign()).replaceAll(/\w/g, '0'),
  'a-token-that-is-cut-short': async sign => (await sign()).slice(0, -1),
  'a-token-with-a-character-added': async sign => `${await sign()}0`,
  'a-token-signed-with-another-secret': (sign, secret) => sign({ postback_secret: `${secret}x` }),
  'a-token-signed-for-an-unknown-lead': sign => sign({ lead_id: crypto.randomUUID() }),
  'a-token-signed-for-an-unknown-advertiser': sign => sign({ advertiser_id: crypto.randomUUID() }),
  'the-secret-in-place-of-the-token': async (_sign, secret) => secret,
}

const secretOf = ({ facts }: Target) => facts.advertisers[0]?.postback_secret ?? ''
const encodedKey = ({ facts }: Target) => encodeURIComponent(facts.advertisers[0]?.api_key ?? '')

/** Fires a lead's pixel with any token, with this text appended to the query. */
function fire(target: Target, lead_id: string, token: string | undefined, more = '&event=approved') {
  const query = token === undefined ? more.slice(1) : `token=${encodeURIComponent(token)}${more}`
  return target.call('GET', `/lead/${lead_id}/status?${query}`)
}

/** Returns the token with its letter case changed. */
const otherLetterCase = (token: string) => [token.toUpperCase(), token.toLowerCase()].filter(each => each !== token)

/** The pixel's token (Spec 4.3 rule 1, 5; point 11). */
const tokens: readonly ConformanceCase[] = [
  ...casesOf(['5/rule-1', '5/rule-2', '4/apikey', '4.3/token', 'open/token_format'], needs, {
    '5/accepts-an-hmac-of-lead-and-advertiser-as-token-without-a-key': onNewToken(async (target, lead_id, sign) =>
      expect.event(await fire(target, lead_id, await sign()), lead_id, 'approved', 'received'),
    ),
  }),
  ...casesOf(['4.3/rule-1', '4.3/token', '5/rule-1', '5/rule-3', '7/401'], needs, {
    ...casesFrom(wrongTokens, (name, make) => [
      `4.3/returns-401-for-${name}`,
      onNewToken(async (target, lead_id, sign) => {
        expect.refused(await fire(target, lead_id, await make(sign, secretOf(target))), 401)
        await expectFired(target, lead_id, 'approved', 'received')
      }),
    ]),
    '4.3/returns-401-for-the-token-of-another-lead': onNewLead(async (target, lead_id) => {
      const other = await target.distributedLead()
      const token = await (await signerOf(target, other))()
      expect.refused(await fire(target, lead_id, token), 401)
      expect.event(await fire(target, other, token), other, 'approved', 'received')
    }),
    'open/refuses-a-token-in-another-letter-case': onNewToken(async (target, lead_id, sign) => {
      const [other] = otherLetterCase(await sign())
      if (other === undefined) throw new Unclear('The token has no letters.')
      expect.refused(await fire(target, lead_id, other), 401)
    }),
  }),
  ...casesOf(['4.3/rule-1', '5/where', 'open/error.unauthorized'], needs, {
    '4.3/returns-401-for-a-key-in-place-of-the-token': onNewLead(async (target, lead_id) => {
      const key = target.facts.advertisers[0]?.api_key
      expect.refused(await target.call('GET', `/lead/${lead_id}/status?event=approved`, { key }), 401)
      const inQuery = `&event=approved&${keyHeader}=${encodedKey(target)}`
      expect.refused(await fire(target, lead_id, undefined, inQuery), 401)
    }),
    'open/refuses-a-key-in-the-query-besides-the-token': onNewLead(async (target, lead_id) =>
      expect.code(await firePixel(target, lead_id, 'approved', `&${keyHeader}=${encodedKey(target)}`), 'unauthorized'),
    ),
    'open/returns-the-same-401-for-every-wrong-token-before-any-other-check': onNewToken(
      async (target, lead_id, sign) => {
        const token = await sign()
        const unknown = crypto.randomUUID()
        const responses = [
          await fire(target, unknown, await sign({ lead_id: unknown })),
          await fire(target, 'lead-1', token),
          await fire(target, lead_id, undefined, '&ref=AB-1'),
        ]
        for (const make of Object.values(wrongTokens))
          responses.push(await fire(target, lead_id, await make(sign, secretOf(target))))
        for (const other of otherLetterCase(token)) responses.push(await fire(target, lead_id, other))
        for (const more of ['', '&event=nonsense', '&token=wrong&event=a&event=b', `&ref=${'r'.repeat(300)}`])
          responses.push(await fire(target, lead_id, 'wrong', more))
        expect.alike('unauthorized', responses)
      },
    ),
  }),
  ...casesOf(['4.3/rule-1', '4.3/token', 'open/error.unauthorized'], [...needs, 'account'], {
    async 'open/returns-401-for-the-pixel-of-a-lead-that-no-advertiser-has'(target) {
      const { json } = await target.submit(testLeads(target, 'new')[0])
      if (json?.status !== 'new') throw new Unclear("The lead is not new, although no advertiser's criteria accept it.")
      expect.code(await firePixel(target, json.lead_id, 'approved'), 'unauthorized')
    },
  }),
]

/** The pixel: events, repeats and tokens (Spec 4.3, 5, 6.1). */
export const pixelCases: readonly ConformanceCase[] = [...events, ...repeats, ...tokens]
