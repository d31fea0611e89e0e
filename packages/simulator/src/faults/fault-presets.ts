/** A number that a preset can be given. */
export interface FaultPresetField {
  /** For people, such as `Seconds`. */
  readonly label: string
  /** The least value: a number of calls or of seconds, as the label says. */
  readonly min: number
  /** The greatest value: a number of calls or of seconds. */
  readonly max: number
  /** The default: a number of calls or of seconds. */
  readonly usual: number
}

/** The fields that presets have between them. */
export const faultPresetFields = {
  times: { label: 'Times', min: 1, max: 1_000_000, usual: 2 },
  seconds: { label: 'Seconds', min: 1, max: 600, usual: 3 },
} as const satisfies Readonly<Record<string, FaultPresetField>>

/** The name of a field of a preset. */
export type FaultPresetFieldName = keyof typeof faultPresetFields

/** A fault by its intention. */
export interface FaultPreset {
  /** A short label for people, such as `Service down`. */
  readonly label: string
  /** Returns one sentence: what happens. */
  readonly about: (values: FaultPresetValues) => string
  /** The fields that it takes; it ignores others. */
  readonly fields: readonly FaultPresetFieldName[]
  /** Returns the fault to add. */
  readonly fault: (values: FaultPresetValues) => PresetFault
}

/** The fault of a preset, as the control plane takes it. */
export interface PresetFault {
  /** The calls that it acts on. */
  readonly match: { readonly operation: 'submitLead' | 'callback' }
  /** The effect, with the values of the preset's fields. */
  readonly effect:
    | { status: number; retry_after?: number }
    | { latency_ms: number }
    | { lost_reply: true }
    | { duplicate: number }
    | { reorder: true }
  /** The number of calls that it acts on; all of them if absent. */
  readonly times?: number
}

/** A value for each field. */
export type FaultPresetValues = Readonly<Record<FaultPresetFieldName, number>>

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

const onSubmissions = { operation: 'submitLead' } as const
const onCallbacks = { operation: 'callback' } as const

/** The faults that most tests want, by intention. The command line and the console list them from this table. */
export const faultPresets = {
  'service-down': {
    label: 'Service down',
    about: () => 'Every submission gets a 503, and nothing is stored, until you remove the fault.',
    fields: [],
    fault: () => ({ match: onSubmissions, effect: { status: 503 } }),
  },
  slow: {
    label: 'Slow',
    about: ({ seconds }) =>
      `Every submission waits ${counted(seconds, 'second')} before it is processed, until you remove the fault.`,
    fields: ['seconds'],
    fault: ({ seconds }) => ({ match: onSubmissions, effect: { latency_ms: seconds * 1_000 } }),
  },
  'lost-reply': {
    label: 'Reply lost',
    about: () => 'The next lead is stored and decided, but the connection is cut before the response.',
    fields: [],
    fault: () => ({ match: onSubmissions, effect: { lost_reply: true }, times: 1 }),
  },
  'rate-limited': {
    label: 'Rate limited',
    about: ({ times, seconds }) =>
      `${times === 1 ? 'The next submission gets' : `The next ${times} submissions get`} a 429 that says to retry after ${counted(seconds, 'second')}.`,
    fields: ['times', 'seconds'],
    fault: ({ times, seconds }) => ({ match: onSubmissions, effect: { status: 429, retry_after: seconds }, times }),
  },
  'callback-fails': {
    label: 'Callback fails twice, then arrives',
    about: () =>
      'The next two attempts to send a callback get a 503 instead of reaching your receiver. The retry after them arrives.',
    fields: [],
    fault: () => ({ match: onCallbacks, effect: { status: 503 }, times: 2 }),
  },
  'callback-twice': {
    label: 'Callback arrives twice',
    about: () => 'The next callback is sent twice at the same time. Your receiver should count it once.',
    fields: [],
    fault: () => ({ match: onCallbacks, effect: { duplicate: 1 }, times: 1 }),
  },
  'out-of-order': {
    label: 'Out of order',
    about: () => 'The next callback of a lead is sent after the following one of the same lead, or after a minute.',
    fields: [],
    fault: () => ({ match: onCallbacks, effect: { reorder: true }, times: 1 }),
  },
} as const satisfies Readonly<Record<string, FaultPreset>>

/** The name of a preset. */
export type FaultPresetName = keyof typeof faultPresets
