import { signCallback } from '@lead-distribution/contract'
import { type CallbackAnswer, type Callbacks, callbackParameter, type ReceivedCallback } from '../callbacks.ts'
import { Unclear } from '../mismatch.ts'
import { recordEvent } from '../report-status.ts'
import type { Target } from '../target.ts'
import { atLeast, nearestDuration, pause, secondsText } from './duplicate-window.ts'
import type { InterpretationOf } from './finding.ts'
import { probeOf } from './probe.ts'

/** The two names of one event. */
const names = ['approved', 'loan_issued'] as const

/** What each interpretation makes of the two. */
const sentBy = {
  usage: ['loan_issued', 'loan_issued'],
  enum: ['approved', 'approved'],
  as_reported: names,
} as const satisfies Record<InterpretationOf['callback_event_names'], readonly string[]>

/** Point 6 (Spec 6.1, 6.2): by which name does a callback call an event? */
export const callbackEventNames = probeOf('callback_event_names', ['advertiser', 'callbacks'], async target => {
  const sent: (string | undefined)[] = []
  for (const event of names)
    sent.push(await watchTries(target, { event }, async ({ first }) => callbackParameter(first, 'event')))
  const sentAs = names.map((name, place) => `${name} as ${sent[place] ?? 'nothing'}`).join(' and ')
  const interpretations = Object.keys(sentBy) as (keyof typeof sentBy)[]
  const interpretation = interpretations.find(each => sentBy[each].every((name, place) => name === sent[place]))
  return [interpretation, `On two leads, the callbacks named ${sentAs}.`]
})

/** More than any service tries within a patience. */
const answers = Array<number>(1000).fill(500)

/** Point 9 (Spec 6.2): when is a callback that failed tried again? The waits that were seen; more may come. */
export const callbackRetries = probeOf('callback_retries', ['advertiser', 'callbacks'], target =>
  watchTries(target, { answers }, async ({ lead_id, callbacks }) => {
    await pause(target.patienceMs)
    const times = callbacks.of(lead_id).map(({ at }) => at)
    const waits = times.slice(1).map((at, place) => at - (times[place] ?? at))
    const watched = secondsText(target.patienceMs)
    if (waits.length === 0)
      return [undefined, `A callback that failed was not tried again within ${watched}: --patience looks longer.`]
    const waited = waits.map(secondsText).join(', then ')
    return [
      waits.map(nearestDuration),
      `A callback that failed was tried again after ${waited}; it was watched for ${watched}.`,
    ]
  }),
)

const lookEveryMs = 20

/** Point 10 (Spec 6.2): how long may the publisher take to answer a callback? */
export const callbackTimeout = probeOf('callback_timeout', ['advertiser', 'callbacks'], target =>
  watchTries(target, { answers: ['hang'] }, async ({ lead_id, callbacks, first }) => {
    const hungUpAt = () => callbacks.of(lead_id)[0]?.hungUpAt
    const until = first.at + target.patienceMs
    while (hungUpAt() === undefined && Date.now() < until) await pause(lookEveryMs)
    const ms = (hungUpAt() ?? Date.now()) - first.at
    if (hungUpAt() === undefined)
      return [atLeast(ms), `The service still waits for an answer after ${secondsText(ms)}: --patience looks longer.`]
    return [nearestDuration(ms), `The service hung up after ${secondsText(ms)} without an answer.`]
  }),
)

/** A lead that an event was recorded on, and its callback. */
export interface Tried {
  readonly lead_id: string
  readonly callbacks: Callbacks
  /** The first try of the callback. */
  readonly first: ReceivedCallback
}

/**
 * Has an event recorded on a new lead whose callbacks are answered so, and looks on from the first try. In the end the
 * callbacks of the lead are answered with 200 again.
 * @throws {Unclear} where none comes.
 */
function watchTries<Result>(
  target: Target,
  { event = 'registration', answers = [] }: { event?: string; answers?: readonly CallbackAnswer[] },
  look: (tried: Tried) => Promise<Result>,
): Promise<Result> {
  const { callbacks } = target
  if (!callbacks) throw new Unclear('Nobody listens to the callbacks: give --callback-listen.')
  return callbacks.inTurn(async () => {
    const lead_id = await target.distributedLead()
    try {
      callbacks.answer(lead_id, answers)
      await recordEvent(target, lead_id, event)
      const first = await callbacks.wait(lead_id)
      if (first) return await look({ lead_id, callbacks, first })
      throw new Unclear(
        `No callback of ${event} came within the patience: set the callback URL of the target to the listener, or wait longer by --patience.`,
      )
    } finally {
      callbacks.answer(lead_id, [])
    }
  })
}

const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
/** What a header is called that proves something. */
const proving = /auth|sign|hmac|token|digest|secret|apikey|api-key|webhook/

/** Point 14 (Spec 6.2): does anything authenticate a callback? */
export const callbackSignature = probeOf('callback_signature', ['advertiser', 'callbacks'], target =>
  watchTries(target, {}, async ({ first }) => {
    const found = Object.keys(first.headers).filter(name => proving.test(name))
    if (found.length === 0) return ['none', 'A callback came without a header that proves anything.']
    if (standard.some(name => first.headers[name] === undefined))
      return [undefined, `A callback came with other headers that may prove something: ${found.join(', ')}.`]
    const carried = 'A callback came with the three headers of Standard Webhooks'
    const { callback_secret } = target.facts
    if (!callback_secret)
      return ['standard_webhooks', `${carried}; whether they are right was not looked at: --account has the secret.`]
    if (await isSigned(first, callback_secret))
      return ['standard_webhooks', `${carried}, and the signature is that of the secret.`]
    return [undefined, `${carried}, but the signature is not that of the secret over id, time and request target.`]
  }),
)

async function isSigned({ headers, target }: ReceivedCallback, secret: string): Promise<boolean> {
  const [id = '', timestamp = '', signatures = ''] = standard.map(name => headers[name])
  const right = await signCallback({ secret, id, timestamp, target })
  return signatures.split(' ').includes(right)
}
