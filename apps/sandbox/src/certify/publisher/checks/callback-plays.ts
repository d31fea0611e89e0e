import { setTimeout as sleep } from 'node:timers/promises'
import { type Finding, failed } from '../../certify-check.ts'
import { eventCount } from '../event-count.ts'
import { count, judge } from '../judge-submission.ts'
import type { PublisherPlay } from '../publisher-play.ts'
import { leadIdOf } from '../submission.ts'

/** How long what was answered may take until it would be counted, milliseconds. */
export const countedWithinMs = 300

/** Sends one event in copies, again, and another one under both of its names. */
export async function countedOnce({ callbacks, sandbox: { tenant } }: PublisherPlay): Promise<Finding> {
  const lead_id = await callbacks.lead()
  await tenant.faults.add({ match: { operation: 'callback' }, effect: { duplicate: 2 }, times: 1 })
  const [callback] = await callbacks.report(lead_id, 'registration')
  await tenant.faults.clear()
  await callbacks.eventsOnce(lead_id, text => eventCount(text, 'registration') > 0)
  if (callback) await tenant.callbacks.resend(callback.callback_id)
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

/** Has the event reported while the application still waits for the reply to its submission. */
export async function earlyCallback({ callbacks, sandbox: { tenant }, submit }: PublisherPlay): Promise<Finding> {
  const submission = await submit('distributed', {
    change: async (_, reply) => {
      const { lead_id } = JSON.parse(reply.body)
      if (lead_id) await callbacks.report(lead_id, 'registration')
      return undefined
    },
  })
  const lead_id = leadIdOf(submission)
  if (lead_id === undefined) return failed('No lead arrived at the sandbox.')
  // One that was refused comes again, as the service does it.
  for (const { callback_id, state } of await callbacks.tried(lead_id))
    if (state === 'failed') await tenant.callbacks.resend(callback_id)
  await callbacks.tried(lead_id)
  const events = await callbacks.eventsOnce(lead_id, text => eventCount(text, 'registration') > 0)
  return judge('It was recorded.', eventCount(events ?? '', 'registration') === 0 && 'It was lost.')
}
