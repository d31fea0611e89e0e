import { signCallback } from '@lead-distribution/contract'
import { Unclear } from '../case.ts'
import { callbacksOf, recordEvent } from '../requests.ts'
import {
  type CallbackAnswer,
  type Callbacks,
  callbackParameter,
  type ReceivedCallback,
  type Target,
} from '../target.ts'
import { atLeast, nearestDuration, type Probes, pause, probeWith, secondsText } from './probe.ts'

const needs = ['advertiser', 'callbacks'] as const

/** The names in callbacks for `approved` and `loan_issued`, which are two names of one event, by interpretation. */
const sentBy = {
  usage: ['loan_issued', 'loan_issued'],
  enum: ['approved', 'approved'],
  as_reported: ['approved', 'loan_issued'],
} as const

/** More attempts than any service makes before the patience runs out. */
const failures = Array<number>(1000).fill(500)

const pollMs = 20

const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
/** Header names that may authenticate a callback. */
const authenticating = /auth|sign|hmac|token|digest|secret|apikey|api-key|webhook/

/** Open points about callbacks. */
export const callbackProbes = {
  callback_event_names: probeWith(needs, async target => {
    const sent: (string | undefined)[] = []
    for (const event of sentBy.as_reported)
      sent.push(await watchAttempts(target, { event }, async ({ first }) => callbackParameter(first, 'event')))
    const sentAs = sentBy.as_reported.map((name, place) => `${name} as ${sent[place] ?? 'nothing'}`).join(' and ')
    const interpretations = Object.keys(sentBy) as (keyof typeof sentBy)[]
    const interpretation = interpretations.find(each => sentBy[each].every((name, place) => name === sent[place]))
    return [interpretation, `On two leads, the callbacks carried ${sentAs}.`]
  }),

  /** Reports the observed delays; more may follow. */
  callback_retries: probeWith(needs, target =>
    watchAttempts(target, { answers: failures }, async ({ lead_id, callbacks }) => {
      await pause(target.patienceMs)
      const times = callbacks.of(lead_id).map(({ at }) => at)
      const waits = times.slice(1).map((at, place) => at - (times[place] ?? at))
      const watched = secondsText(target.patienceMs)
      if (waits.length === 0)
        return [undefined, `A failed callback was not retried within ${watched}; use --patience to wait longer.`]
      const waited = waits.map(secondsText).join(', then ')
      const known_by = `A failed callback was retried after ${waited}; it was observed for ${watched}.`
      return [waits.map(nearestDuration), known_by]
    }),
  ),

  callback_timeout: probeWith(needs, target =>
    watchAttempts(target, { answers: ['hang'] }, async ({ lead_id, callbacks, first }) => {
      const hungUpAt = () => callbacks.of(lead_id)[0]?.hungUpAt
      const until = first.at + target.patienceMs
      while (hungUpAt() === undefined && Date.now() < until) await pause(pollMs)
      const ms = (hungUpAt() ?? Date.now()) - first.at
      const waited = secondsText(ms)
      if (hungUpAt() !== undefined)
        return [nearestDuration(ms), `The service hung up after ${waited} without a response.`]
      return [atLeast(ms), `The service still waits for a response after ${waited}; use --patience to wait longer.`]
    }),
  ),

  callback_signature: probeWith(needs, target =>
    watchAttempts(target, {}, async ({ first }) => {
      const found = Object.keys(first.headers).filter(name => authenticating.test(name))
      if (found.length === 0) return ['none', 'A callback arrived without a header that authenticates it.']
      if (standard.some(name => first.headers[name] === undefined))
        return [undefined, `A callback arrived with headers that may authenticate it: ${found.join(', ')}.`]
      const carried = 'A callback arrived with the three headers of Standard Webhooks'
      const { callback_secret } = target.facts
      if (!callback_secret)
        return [
          'standard_webhooks',
          `${carried}; the signature was not verified, because the secret is unknown: pass --account.`,
        ]
      if (await isSigned(first, callback_secret)) return ['standard_webhooks', `${carried} and a valid signature.`]
      return [undefined, `${carried}, but the signature doesn't match the secret, id, time and request target.`]
    }),
  ),
} satisfies Partial<Probes>

/**
 * Sets the responses to a new lead's callbacks, records an event on it, and runs `watch` after the first attempt.
 * Resets the responses to 200 at the end.
 * @throws {Unclear} if no callback arrives.
 */
function watchAttempts<Result>(
  target: Target,
  { event = 'registration', answers = [] }: { event?: string; answers?: readonly CallbackAnswer[] },
  watch: (watched: { lead_id: string; callbacks: Callbacks; first: ReceivedCallback }) => Promise<Result>,
): Promise<Result> {
  const callbacks = callbacksOf(target)
  return callbacks.inTurn(async () => {
    const lead_id = await target.distributedLead()
    try {
      callbacks.answer(lead_id, answers)
      await recordEvent(target, lead_id, event)
      const first = await callbacks.wait(lead_id)
      if (first) return await watch({ lead_id, callbacks, first })
      throw new Unclear(
        `No callback for ${event} arrived in time: set the target's callback URL to the listener, or use --patience to wait longer.`,
      )
    } finally {
      callbacks.answer(lead_id, [])
    }
  })
}

/** Returns true if a callback carries a valid Standard Webhooks signature by this secret, possibly among others. */
export async function isSigned({ headers, target }: ReceivedCallback, secret: string): Promise<boolean> {
  const [id = '', timestamp = '', signatures = ''] = standard.map(name => headers[name])
  const right = await signCallback({ secret, id, timestamp, target })
  return signatures.split(' ').includes(right)
}
