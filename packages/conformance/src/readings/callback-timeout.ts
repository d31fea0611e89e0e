import { watchTries } from './callback-tries.ts'
import { atLeast, nearestDuration, pause, secondsText } from './duration-text.ts'
import { probeOf } from './probe.ts'

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
