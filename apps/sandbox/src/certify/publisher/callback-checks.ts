import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  acceptedPixelEvents,
  callbackSignatureHeaders,
  convertedStatus,
  pixelEvents,
  usageNameOf,
} from '@lead-distribution/contract'
import type { Callback } from '@lead-distribution/control-client'
import { count, type Finding, failed, notSeen, seconds } from '../check.ts'
import {
  callbackCheck,
  eventCount,
  type HandmadeCallback,
  judge,
  leadIdOf,
  otherSecret,
  type PublisherCheck,
  type PublisherRound,
} from './round.ts'

/** The longest response time to a callback that passes, milliseconds: a fifth of the service's timeout. */
const promptMs = 2_000

/** The events of three leads: together, every event. */
const lives = [['registration', 'approved', 'completed'], ['rejected'], [convertedStatus, 'defaulted']] as const

/** The checks of callbacks that the service sends. */
export const callbackChecks: readonly PublisherCheck[] = [
  callbackCheck({
    id: 'callback.answered',
    spec: '6.2, open point 10',
    expected: 'The application responds to a callback of each event with a 2xx.',
    fix: 'Respond 2xx to every GET with lead_id and event, whatever the event: anything else is a failed attempt and is retried.',
    run: async round => {
      const sent = await everyEvent(round)
      return judge(`All ${sent.length} callbacks got a 2xx.`, ...sent.map(failureOf))
    },
  }),
  callbackCheck({
    id: 'callback.prompt',
    spec: '6.2, open point 10',
    rounds: 'first',
    expected: `The application responds to a callback within ${seconds(promptMs)}.`,
    fix: 'Store the event, respond, and do the work afterwards: a callback whose response is late is sent again.',
    run: async round => {
      const [callback] = await round.report(await round.lead(), 'registration')
      const ms = callback?.attempts[0]?.ms ?? 0
      return judge(`The response took ${seconds(ms)}.`, ms > promptMs && `The response took ${seconds(ms)}.`)
    },
  }),
  callbackCheck({
    id: 'callback.names',
    spec: '6.1',
    counts: true,
    expected: 'Each event is recorded, under its name in the enumeration and its name in the usage table.',
    fix: `Treat both names as one event: ${pixelEvents.map(each => [...new Set([each, usageNameOf[each]])].join(' = ')).join(', ')}.`,
    run: async round => {
      const sent = await everyEvent(round)
      const missing: string[] = []
      for (const { lead_id, event } of sent) {
        const events = await round.eventsOnce(lead_id, text => eventCount(text, event) > 0)
        if (eventCount(events ?? '', event) === 0) missing.push(event)
      }
      return judge('Every event was recorded.', missing.length > 0 && `Not recorded: ${missing.join(', ')}.`)
    },
  }),
  callbackCheck({
    id: 'callback.once',
    spec: '6.1, 6.2',
    counts: true,
    expected:
      'An event counts once, even if it is sent three times at once, resent later, or sent under its other name.',
    fix: 'Store (lead_id, event) with one name per event, and let a unique constraint reject duplicates.',
    run: countedOnce,
  }),
  callbackCheck({
    id: 'callback.order',
    spec: '6.2',
    counts: true,
    expected: 'Events that arrive out of order are kept: completed before approved, and both before registration.',
    fix: 'Record each event as it arrives, and derive the state of the lead from all of them. The order is not guaranteed.',
    run: async round => {
      const lead = await round.lead()
      const order = ['completed', 'approved', 'registration']
      for (const event of order) await round.report(lead, event)
      const complete = (text: string) => order.every(event => eventCount(text, event) > 0)
      const events = (await round.eventsOnce(lead, complete)) ?? ''
      const missing = order.filter(event => eventCount(events, event) === 0)
      if (missing.includes('completed')) return notSeen('The first event was not recorded: fix callback.names first.')
      return judge('Every event was kept.', missing.length > 0 && `Not recorded: ${missing.join(', ')}.`)
    },
  }),
  callbackCheck({
    id: 'callback.early',
    spec: '6.2',
    counts: true,
    rounds: 'first',
    expected: 'A callback that arrives before the response to its submission is not lost.',
    fix: 'Keep callbacks of unknown leads and match them once the response arrives, or respond 5xx so that they are sent again.',
    run: earlyCallback,
  }),
  callbackCheck({
    id: 'callback.unknown-lead',
    spec: '6.2',
    expected: 'The application responds to a callback of an unknown lead with a 2xx or a 4xx, and keeps working.',
    fix: 'Respond 2xx and set the callback aside (the response to its submission may have been lost), or respond 404. After a 5xx or no response it is sent again and again.',
    run: async round => {
      const [callback] = await round.report(await round.unknownLead(), 'registration')
      const { status = 0, error } = callback?.attempts.at(-1) ?? {}
      return judge(
        `The response was ${status}.`,
        error,
        (status < 200 || status >= 500) && `The response was ${status}.`,
      )
    },
  }),
  callbackCheck({
    id: 'callback.unknown-event',
    spec: '6.1',
    rounds: 'first',
    expected: 'A callback of an unknown event causes no error, and is not counted as another event.',
    fix: 'Respond 2xx or 4xx, and store the event under the name it has: events may be added.',
    run: async round => {
      const lead_id = await round.lead()
      const { status } = await round.send({ lead_id, event: 'not_known_yet' })
      const events = (await round.events(lead_id)) ?? ''
      const taken = [...acceptedPixelEvents, convertedStatus].find(event => eventCount(events, event) > 0)
      return judge(
        `The response was ${status}.`,
        (status < 200 || status >= 500) && (status === 0 ? 'There was no response.' : `The response was ${status}.`),
        taken && `The event was counted as ${taken}.`,
      )
    },
  }),
]

const reported = new WeakMap<PublisherRound, Promise<readonly Callback[]>>()

/** Every event once, over three leads; reported once a round. */
function everyEvent(round: PublisherRound): Promise<readonly Callback[]> {
  const reporting = reported.get(round) ?? reportLives(round)
  reported.set(round, reporting)
  return reporting
}

async function reportLives(round: PublisherRound): Promise<readonly Callback[]> {
  const sent: Callback[] = []
  for (const life of lives) {
    const lead = await round.lead()
    for (const event of life) await round.report(lead, event)
    sent.push(...(await round.tried(lead)))
  }
  return sent
}

function failureOf({ event, state, attempts }: Callback): string | undefined {
  const { status, error } = attempts.at(-1) ?? {}
  if (state === 'delivered') return undefined
  return error ? `The callback of ${event} failed: ${error}.` : `The response to ${event} was ${status}.`
}

/** The time an application has to count a callback after its response, milliseconds. */
const countedWithinMs = 300

/** Sends one event in copies, again, and another one under both of its names. */
async function countedOnce(round: PublisherRound): Promise<Finding> {
  const lead_id = await round.lead()
  const fault = { match: { operation: 'callback' }, effect: { duplicate: 2 }, times: 1 } as const
  const [callback] = await round.sandbox.withFault(fault, () => round.report(lead_id, 'registration'))
  await round.eventsOnce(lead_id, text => eventCount(text, 'registration') > 0)
  if (callback) await round.sandbox.tenant.callbacks.resend(callback.callback_id)
  await round.tried(lead_id)
  for (const event of ['approved', 'loan_issued']) await round.send({ lead_id, event })
  await sleep(countedWithinMs)
  const events = (await round.events(lead_id)) ?? ''
  const [registrations, approvals] = ['registration', 'approved'].map(event => eventCount(events, event))
  return judge(
    'Each event counts once.',
    registrations !== 1 && `registration counts ${count(registrations ?? 0, 'time')}.`,
    (approvals ?? 0) > 1 && `approved, sent as approved and as loan_issued, counts ${count(approvals ?? 0, 'time')}.`,
  )
}

/** Reports the event while the application still waits for the response to its submission. */
async function earlyCallback(round: PublisherRound): Promise<Finding> {
  const submission = await round.submit('distributed', {
    change: async (_, response) => {
      const { lead_id } = JSON.parse(response.body)
      if (lead_id) await round.report(lead_id, 'registration')
      return undefined
    },
  })
  const lead_id = leadIdOf(submission)
  if (lead_id === undefined) return failed('No lead arrived at the sandbox.')
  // A failed callback is sent again, as the service does.
  for (const { callback_id, state } of await round.tried(lead_id))
    if (state === 'failed') await round.sandbox.tenant.callbacks.resend(callback_id)
  await round.tried(lead_id)
  const events = await round.eventsOnce(lead_id, text => eventCount(text, 'registration') > 0)
  return judge('The event was recorded.', eventCount(events ?? '', 'registration') === 0 && 'The event was lost.')
}

/** A forged callback, and its difference to a right one. */
type Forgery = Omit<HandmadeCallback, 'lead_id' | 'event'> & { readonly what: string }

/** The checks of callbacks that the service did not send. */
export const forgeryChecks: readonly PublisherCheck[] = [
  callbackCheck({
    id: 'forged.secret',
    spec: '6.2, open point 14',
    rounds: 'first',
    expected: 'A callback without the secret of the callback URL is rejected.',
    fix: 'Put a long random string into the path of the callback URL, compare it in constant time, and respond 404 if it does not match.',
    run: async round => {
      const { callbackUrl = '', signed } = round.application
      const other = otherSecret(callbackUrl)
      if (other !== undefined) return forge(round, [{ what: 'with another secret', to: other }])
      if (signed) return notSeen('The callback URL contains no secret; forged.signature checks signatures instead.')
      return failed('The callback URL contains no secret: anyone who guesses it can forge callbacks.')
    },
  }),
  callbackCheck({
    id: 'forged.signature',
    spec: 'open point 14',
    rounds: 'first',
    expected: 'If callbacks are signed, one without a valid, recent signature is rejected.',
    fix: 'Verify `webhook-signature` over `webhook-id`, `webhook-timestamp` and the target, and reject a timestamp that is more than 5 minutes off.',
    run: async round =>
      round.application.signed
        ? forge(round, wrongSignatures(round))
        : notSeen('Callbacks are not signed. Pass --signed-callbacks if the application verifies signatures.'),
  }),
  callbackCheck({
    id: 'forged.method',
    spec: '6.2',
    rounds: 'first',
    expected: 'A callback by POST or HEAD is rejected: the service sends only GET.',
    fix: 'Accept only GET on the route, and respond 405 to other methods: link previews send HEAD, which many frameworks treat as GET.',
    run: round =>
      forge(
        round,
        ['POST', 'HEAD'].map(method => ({ what: `by ${method}`, method })),
      ),
  }),
  callbackCheck({
    id: 'forged.parameters',
    spec: '6.2',
    rounds: 'first',
    expected: 'A callback with missing, repeated or malformed parameters is rejected and causes no error.',
    fix: 'Accept exactly one `lead_id`, a UUID, and one `event`, and respond 400 to anything else.',
    run: round => {
      const without = (name: string) => (url: string) => url.replace(new RegExp(`([?&])${name}=[^&]*&?`), '$1')
      return forge(round, [
        { what: 'without lead_id', at: without('lead_id') },
        { what: 'without event', at: without('event') },
        { what: 'with a lead_id that is not a UUID', at: url => url.replace(/lead_id=[^&]*/, 'lead_id=1%27%20or%201') },
        { what: 'with two lead_ids', at: url => `${url}&lead_id=${randomUUID()}` },
        { what: 'with two events', at: url => `${url}&event=rejected` },
      ])
    },
  }),
]

/** Sends forged callbacks. None may get a 5xx or be counted; if counts cannot be seen, none may get a 2xx. */
async function forge(round: PublisherRound, forgeries: readonly Forgery[]): Promise<Finding> {
  const lead_id = await round.lead()
  const event = 'registration'
  const responses: { what: string; status: number }[] = []
  for (const { what, ...forgery } of forgeries)
    responses.push({ what, status: (await round.send({ lead_id, event, ...forgery })).status })
  await sleep(countedWithinMs)
  const events = await round.events(lead_id)
  const broken = responses.find(({ status }) => status === 0 || status >= 500)
  const taken = responses.find(({ status }) => status >= 200 && status < 300)
  const counted = ['registration', 'rejected'].find(each => eventCount(events ?? '', each) > 0)
  return judge(
    `The responses were ${[...new Set(responses.map(({ status }) => status))].join(', ')}, and none was counted.`,
    broken && `A callback ${broken.what} got ${broken.status === 0 ? 'no response' : `a ${broken.status}`}.`,
    counted && `A callback ${taken?.what ?? 'that was forged'} was counted as ${counted}.`,
    events === undefined && taken && `A callback ${taken.what} got a ${taken.status}.`,
  )
}

function wrongSignatures({ sandbox }: PublisherRound): readonly Forgery[] {
  const { callback_secret } = sandbox.account().publisher
  const signed =
    ({ secret = callback_secret, ageMs = 0, behind = '' }) =>
    (url: string) =>
      callbackSignatureHeaders({ secret, id: randomUUID(), at: Date.now() - ageMs, url: `${url}${behind}` })
  return [
    { what: 'without a signature', headers: async () => ({}) },
    { what: 'signed with another secret', headers: signed({ secret: `whsec_${randomBytes(32).toString('base64')}` }) },
    { what: 'with a signature for another target', headers: signed({ behind: '&more=1' }) },
    { what: 'with a signature that is an hour old', headers: signed({ ageMs: 3_600_000 }) },
  ]
}
