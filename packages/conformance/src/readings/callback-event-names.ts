import { callbackParameter } from '../callbacks.ts'
import { watchTries } from './callback-tries.ts'
import type { ReadingOf } from './finding.ts'
import { probeOf } from './probe.ts'

/** The two names of one event. */
const names = ['approved', 'loan_issued'] as const

/** What each reading makes of the two. */
const sentBy = {
  usage: ['loan_issued', 'loan_issued'],
  enum: ['approved', 'approved'],
  as_reported: names,
} as const satisfies Record<ReadingOf['callback_event_names'], readonly string[]>

/** Point 6 (Spec 6.1, 6.2): by which name does a callback call an event? */
export const callbackEventNames = probeOf('callback_event_names', ['advertiser', 'callbacks'], async target => {
  const sent: (string | undefined)[] = []
  for (const event of names)
    sent.push(await watchTries(target, { event }, async ({ first }) => callbackParameter(first, 'event')))
  const told = names.map((name, place) => `${name} as ${sent[place] ?? 'nothing'}`).join(' and ')
  const readings = Object.keys(sentBy) as (keyof typeof sentBy)[]
  const reading = readings.find(each => sentBy[each].every((name, place) => name === sent[place]))
  return [reading, `On two leads, the callbacks told ${told}.`]
})
