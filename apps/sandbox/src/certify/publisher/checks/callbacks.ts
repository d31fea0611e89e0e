import { setTimeout as sleep } from 'node:timers/promises'
import { acceptedPixelEvents, convertedStatus, pixelEvents, usageNameOf } from '@lead-distribution/contract'
import type { SentCallback } from '../../certify-sandbox.ts'
import { type Finding, failed, notSeen } from '../../check.ts'
import { leadIdOf } from '../application.ts'
import { eventCount } from '../callback-driver.ts'
import { count, judge, type PublisherRound, seconds } from '../round.ts'
import { callbackCheck, type PublisherCheck } from './publisher-check.ts'

/** How long an answer to a callback may take, milliseconds: a fifth of what the service waits (open point 10). */
const promptMs = 2_000

/** The events of three leads: together, every event. */
const lives = [['registration', 'approved', 'completed'], ['rejected'], [convertedStatus, 'defaulted']] as const

/** The checks of callbacks that the service sends. */
export const callbackChecks: readonly PublisherCheck[] = [
  callbackCheck({
    id: 'callback.answered',
    spec: '6.2, open point 10',
    expected: 'A callback of each event is answered with a 2xx.',
    fix: 'Answer 2xx to each GET with lead_id and event, whatever the event: all else is a failed try, and comes again.',
    find: async round => {
      const sent = await everyEvent(round)
      return judge(`So were ${sent.length} of ${sent.length}.`, ...sent.map(refusalOf))
    },
  }),
  callbackCheck({
    id: 'callback.prompt',
    spec: '6.2, open point 10',
    rounds: 'first',
    expected: `A callback is answered within ${seconds(promptMs)}.`,
    fix: 'Write the event down, answer, and do the work afterwards: a callback that is answered late comes again.',
    find: async round => {
      const [callback] = await round.callbacks.report(await round.callbacks.lead(), 'registration')
      const ms = callback?.attempts[0]?.ms ?? 0
      return judge(`It took ${seconds(ms)}.`, ms > promptMs && `It took ${seconds(ms)}.`)
    },
  }),
  callbackCheck({
    id: 'callback.names',
    spec: '6.1',
    counts: true,
    expected: 'Each event is recorded, by the names of the enumeration and by those of the usage table.',
    fix: `Take both names for one event: ${pixelEvents.map(each => [...new Set([each, usageNameOf[each]])].join(' = ')).join(', ')}.`,
    find: async round => {
      const sent = await everyEvent(round)
      const missing: string[] = []
      for (const { lead_id, event } of sent) {
        const events = await round.callbacks.eventsOnce(lead_id, text => eventCount(text, event) > 0)
        if (eventCount(events ?? '', event) === 0) missing.push(event)
      }
      return judge('All were.', missing.length > 0 && `Not recorded: ${missing.join(', ')}.`)
    },
  }),
  callbackCheck({
    id: 'callback.once',
    spec: '6.1, 6.2',
    counts: true,
    expected: 'An event counts once: sent in three copies, sent again later, and under its other name.',
    fix: 'Keep (lead_id, event), the event by one of its names, and let the database refuse the second.',
    find: countedOnce,
  }),
  callbackCheck({
    id: 'callback.order',
    spec: '6.2',
    counts: true,
    expected: 'Events that come out of order are kept: completed before approved, and both before registration.',
    fix: 'Record each event as it comes, and work out the state of the lead from all of them. Nothing promises an order.',
    find: async round => {
      const lead = await round.callbacks.lead()
      const order = ['completed', 'approved', 'registration']
      for (const event of order) await round.callbacks.report(lead, event)
      const complete = (text: string) => order.every(event => eventCount(text, event) > 0)
      const events = (await round.callbacks.eventsOnce(lead, complete)) ?? ''
      const missing = order.filter(event => eventCount(events, event) === 0)
      if (missing.includes('completed')) return notSeen('The first event was not recorded: fix callback.names first.')
      return judge('All were kept.', missing.length > 0 && `Not recorded: ${missing.join(', ')}.`)
    },
  }),
  callbackCheck({
    id: 'callback.early',
    spec: '6.2',
    counts: true,
    rounds: 'first',
    expected: 'A callback that comes before the reply to its submission is not lost.',
    fix: 'Keep callbacks of leads that you do not know yet, or answer them 5xx so that they come again, and match them when the reply is there.',
    find: earlyCallback,
  }),
  callbackCheck({
    id: 'callback.unknown-lead',
    spec: '6.2',
    expected:
      'A callback of a lead that the application does not know is answered with a 2xx or a 4xx, and breaks nothing.',
    fix: 'Answer 2xx and put it aside (its reply may have been lost), or 404. A 5xx, or no answer, makes it come again and again.',
    find: async round => {
      const [callback] = await round.callbacks.report(await round.callbacks.unknownLead(), 'registration')
      const { status = 0, error } = callback?.attempts.at(-1) ?? {}
      return judge(`It was answered ${status}.`, error, (status < 200 || status >= 500) && `It was answered ${status}.`)
    },
  }),
  callbackCheck({
    id: 'callback.unknown-event',
    spec: '6.1',
    rounds: 'first',
    expected: 'A callback of an event that is not known yet breaks nothing, and is taken for no other event.',
    fix: 'Answer 2xx, or 4xx, and keep it as what it says: events may be added.',
    find: async round => {
      const lead_id = await round.callbacks.lead()
      const { status } = await round.callbacks.send({ lead_id, event: 'not_known_yet' })
      const events = (await round.callbacks.events(lead_id)) ?? ''
      const taken = [...acceptedPixelEvents, convertedStatus].find(event => eventCount(events, event) > 0)
      return judge(
        `It was answered ${status}.`,
        (status < 200 || status >= 500) && `It was answered ${status === 0 ? 'with nothing' : status}.`,
        taken && `It was counted as ${taken}.`,
      )
    },
  }),
]

const reported = new WeakMap<PublisherRound, Promise<readonly SentCallback[]>>()

/** Every event once, over three leads; reported once a round. */
function everyEvent(round: PublisherRound): Promise<readonly SentCallback[]> {
  const reporting = reported.get(round) ?? reportLives(round)
  reported.set(round, reporting)
  return reporting
}

async function reportLives({ callbacks }: PublisherRound): Promise<readonly SentCallback[]> {
  const sent: SentCallback[] = []
  for (const life of lives) {
    const lead = await callbacks.lead()
    for (const event of life) await callbacks.report(lead, event)
    sent.push(...(await callbacks.tried(lead)))
  }
  return sent
}

function refusalOf({ event, state, attempts }: SentCallback): string | undefined {
  const { status, error } = attempts.at(-1) ?? {}
  if (state === 'delivered') return undefined
  return error ? `${event} came to nothing: ${error}.` : `${event} was answered ${status}.`
}

/** How long a callback that was answered may take until it counts, milliseconds. */
export const countedWithinMs = 300

/** Sends one event in copies, again, and another one under both of its names. */
async function countedOnce({ callbacks, control }: PublisherRound): Promise<Finding> {
  const lead_id = await callbacks.lead()
  const fault = { match: { operation: 'callback' }, effect: { duplicate: 2 }, times: 1 } as const
  const [callback] = await control.withFault(fault, () => callbacks.report(lead_id, 'registration'))
  await callbacks.eventsOnce(lead_id, text => eventCount(text, 'registration') > 0)
  if (callback) await control.resend(callback.callback_id)
  await callbacks.tried(lead_id)
  for (const event of ['approved', 'loan_issued']) await callbacks.send({ lead_id, event })
  await sleep(countedWithinMs)
  const events = (await callbacks.events(lead_id)) ?? ''
  const [registrations, approvals] = ['registration', 'approved'].map(event => eventCount(events, event))
  return judge(
    'Each counts once.',
    registrations !== 1 && `registration counts ${count(registrations ?? 0, 'time')}.`,
    (approvals ?? 0) > 1 && `approved, sent as approved and as loan_issued, counts ${count(approvals ?? 0, 'time')}.`,
  )
}

/** Reports the event while the application still waits for the response to its submission. */
async function earlyCallback({ callbacks, control, submit }: PublisherRound): Promise<Finding> {
  const submission = await submit('distributed', {
    change: async (_, response) => {
      const { lead_id } = JSON.parse(response.body)
      if (lead_id) await callbacks.report(lead_id, 'registration')
      return undefined
    },
  })
  const lead_id = leadIdOf(submission)
  if (lead_id === undefined) return failed('No lead arrived at the sandbox.')
  // A callback that was refused comes again, as from the service.
  for (const { callback_id, state } of await callbacks.tried(lead_id))
    if (state === 'failed') await control.resend(callback_id)
  await callbacks.tried(lead_id)
  const events = await callbacks.eventsOnce(lead_id, text => eventCount(text, 'registration') > 0)
  return judge('It was recorded.', eventCount(events ?? '', 'registration') === 0 && 'It was lost.')
}
