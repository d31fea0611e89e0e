import { setTimeout as sleep } from 'node:timers/promises'
import {
  acceptedPixelEvents,
  canonicalEvent,
  convertedStatus,
  pixelEvents,
  usageEvent,
  usageNameOf,
} from '@lead-distribution/contract'
import type { Callback } from '@lead-distribution/control-client'
import { count, type Finding, failed, judge, notSeen, seconds } from '../check.ts'
import type { PublisherCheck, PublisherNeed, PublisherRound } from './round.ts'
import { leadIdOf } from './submission.ts'

/** The maximum response time to a callback, milliseconds: a fifth of the service's timeout. */
const promptMs = 2_000

/** The events of three leads, which together cover every event. */
const lives = [['registration', 'approved', 'completed'], ['rejected'], [convertedStatus, 'defaulted']] as const

/** The inputs that show whether the application counted an event. */
const countedEvents: readonly PublisherNeed[] = ['callbackUrl', 'submitCommand', 'acceptedLead', 'eventsCommand']

const checks: readonly PublisherCheck[] = [
  {
    id: 'callback.answered',
    spec: '6.2, open point 10',
    expected: 'The application responds to a callback for each event with a 2xx.',
    fix: 'Respond 2xx to every GET with lead_id and event, whatever the event: anything else is a failed attempt and is retried.',
    async run(round) {
      const sent = await everyEvent(round)
      return judge(`All ${sent.length} callbacks got a 2xx.`, ...sent.map(failureOf))
    },
  },
  {
    id: 'callback.prompt',
    spec: '6.2, open point 10',
    rounds: 'first',
    expected: `The application responds to a callback within ${seconds(promptMs)}.`,
    fix: 'Store the event, respond, and do the work afterwards: after a late response, the callback is sent again.',
    async run(round) {
      const [callback] = await round.report(await round.lead(), 'registration')
      const ms = callback?.attempts[0]?.ms ?? 0
      return judge(`The response took ${seconds(ms)}.`, ms > promptMs && `The response took ${seconds(ms)}.`)
    },
  },
  {
    id: 'callback.names',
    spec: '6.1',
    needs: countedEvents,
    expected: 'Each event is recorded, whether it has its name from the enumeration or from the usage table.',
    fix: `Treat both names as one event: ${pixelEvents.map(each => [...new Set([each, usageNameOf[each]])].join(' = ')).join(', ')}.`,
    async run(round) {
      const sent = await everyEvent(round)
      const missing: string[] = []
      for (const { lead_id, event } of sent) {
        const events = await round.eventsOnce(lead_id, text => eventCount(text, event) > 0)
        if (eventCount(events ?? '', event) === 0) missing.push(event)
      }
      return judge('Every event was recorded.', missing.length > 0 && `Not recorded: ${missing.join(', ')}.`)
    },
  },
  {
    id: 'callback.once',
    spec: '6.1, 6.2',
    needs: countedEvents,
    expected:
      'An event is counted once, even if it is sent three times at once, resent later, or sent under its other name.',
    fix: 'Store (lead_id, event) with one name per event, and let a unique constraint reject duplicates.',
    run: countedOnce,
  },
  {
    id: 'callback.order',
    spec: '6.2',
    needs: countedEvents,
    expected: 'Events that arrive out of order are recorded: completed before approved, and both before registration.',
    fix: "Record each event as it arrives, and derive the lead's state from all of them. The order is not guaranteed.",
    async run(round) {
      const lead = await round.lead()
      const order = ['completed', 'approved', 'registration']
      for (const event of order) await round.report(lead, event)
      const complete = (text: string) => order.every(event => eventCount(text, event) > 0)
      const events = (await round.eventsOnce(lead, complete)) ?? ''
      const missing = order.filter(event => eventCount(events, event) === 0)
      if (missing.includes('completed')) return notSeen('The first event was not recorded: fix callback.names first.')
      return judge('Every event was recorded.', missing.length > 0 && `Not recorded: ${missing.join(', ')}.`)
    },
  },
  {
    id: 'callback.early',
    spec: '6.2',
    needs: countedEvents,
    rounds: 'first',
    expected: 'A callback that arrives before the response to its submission is not lost.',
    fix: 'Keep callbacks for unknown leads and match them once the response arrives, or respond 5xx so that they are sent again.',
    run: earlyCallback,
  },
  {
    id: 'callback.unknown-lead',
    spec: '6.2',
    expected: 'The application responds to a callback for an unknown lead with a 2xx or a 4xx, and keeps working.',
    fix: 'Respond 2xx and set the callback aside (the response to its submission may have been lost), or respond 404. After a 5xx or without a response, the callback is sent again and again.',
    async run(round) {
      const [callback] = await round.report(await round.unknownLead(), 'registration')
      const { status = 0, error } = callback?.attempts.at(-1) ?? {}
      return judge(
        `The response was ${status}.`,
        error,
        (status < 200 || status >= 500) && `The response was ${status}.`,
      )
    },
  },
  {
    id: 'callback.unknown-event',
    spec: '6.1',
    rounds: 'first',
    expected: 'A callback for an unknown event causes no error, and is not counted as another event.',
    fix: 'Respond 2xx or 4xx, and store the event under the name that it arrived with: events may be added.',
    async run(round) {
      const lead_id = await round.lead()
      const status = await round.send({ lead_id, event: 'not_known_yet' })
      const events = (await round.events(lead_id)) ?? ''
      const taken = [...acceptedPixelEvents, convertedStatus].find(event => eventCount(events, event) > 0)
      return judge(
        `The response was ${status}.`,
        (status < 200 || status >= 500) && (status === 0 ? 'There was no response.' : `The response was ${status}.`),
        taken && `The event was counted as ${taken}.`,
      )
    },
  },
]

/** The checks of genuine callbacks, in order. */
export const callbackChecks: readonly PublisherCheck[] = checks.map(check => ({ needs: ['callbackUrl'], ...check }))

const reported = new WeakMap<PublisherRound, Promise<readonly Callback[]>>()

/** Reports every event once, over three leads; only once per round. */
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
  return error
    ? `The callback for ${event} failed: ${error}.`
    : `The response to the callback for ${event} was ${status}.`
}

/** The time in which an application must count a callback after its response, milliseconds. */
export const countedWithinMs = 300

/** Sends one event in copies and then again, and another event under both of its names. */
async function countedOnce(round: PublisherRound): Promise<Finding> {
  const lead_id = await round.lead()
  const fault = { match: { operation: 'callback' }, effect: { duplicate: 2 }, times: 1 } as const
  const active = await round.sandbox.addFault(fault)
  const [callback] = await round.report(lead_id, 'registration')
  await active[Symbol.asyncDispose]()
  await round.eventsOnce(lead_id, text => eventCount(text, 'registration') > 0)
  if (callback) await round.sandbox.tenant.callbacks.resend(callback.callback_id)
  await round.tried(lead_id)
  for (const event of ['approved', 'loan_issued']) await round.send({ lead_id, event })
  await sleep(countedWithinMs)
  const events = (await round.events(lead_id)) ?? ''
  const [registrations, approvals] = ['registration', 'approved'].map(event => eventCount(events, event))
  return judge(
    'Each event was counted once.',
    registrations !== 1 && `registration was counted ${count(registrations ?? 0, 'time')}.`,
    (approvals ?? 0) > 1 &&
      `approved was counted ${count(approvals ?? 0, 'time')}: it was sent as approved and as loan_issued.`,
  )
}

/** Reports an event while the application still waits for the response to its submission. */
async function earlyCallback(round: PublisherRound): Promise<Finding> {
  const submission = await round.submit('distributed', {
    change: async response => {
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

/** Counts how often a text names an event, by either of its names: `approved` and `loan_issued` are one (Spec 6.1). */
export function eventCount(text: string, event: string): number {
  const names = new Set([canonicalEvent(event), usageEvent(event)])
  return text.split(/[^\w-]+/).filter(word => names.has(word.toLowerCase())).length
}
