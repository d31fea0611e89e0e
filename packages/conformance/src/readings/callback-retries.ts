import { watchTries } from './callback-tries.ts'
import { nearestDuration, pause, secondsText } from './duration-text.ts'
import { probeOf } from './probe.ts'

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
    const told = waits.map(secondsText).join(', then ')
    return [
      waits.map(nearestDuration),
      `A callback that failed was tried again after ${told}; it was watched for ${watched}.`,
    ]
  }),
)
