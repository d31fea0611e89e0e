import type { OperationName } from '@lead-distribution/contract/shapes'
import type { BrokenResponse, JsonResponse } from '@lead-distribution/http'
import type { bounds } from '../bounds.ts'
import type { CallbackResponse } from '../egress/guarded-egress.ts'

// Intentional failures. A fault applies an effect to the requests that it matches, a scenario to the lead that selects it.
// This file imports only types, because the command line and the console also load it to list the effects.

/** A row of the effects table. Its functions get the value as a number; a duration in milliseconds. */
export interface EffectDefinition {
  /** A short imperative for people, such as `Drop the callback`. */
  readonly label: string
  /** The value that the effect takes. Without this, the value is `true`. */
  readonly value?: {
    /** The bounds of a number. Without them, the value is an ISO 8601 duration. */
    readonly bounds?: keyof typeof bounds
    readonly label: string
    readonly unit?: string
    readonly example: string
  }
  /** How it acts on a request to the service; absent if it cannot. */
  readonly request?: {
    /** Returns how long to delay the request, in milliseconds of real time. */
    readonly latencyMs?: (value: number) => number
    /** Returns the error that replaces the request, which is not processed. */
    readonly replace?: (value: number) => { readonly status: number; readonly broken?: BrokenResponse }
    /** Changes the response after the request was processed. */
    readonly change?: (response: JsonResponse, value: number) => JsonResponse
  }
  /** How it acts on a callback attempt; absent if it cannot. */
  readonly callback?: {
    /** Returns how long to postpone the callback, in milliseconds of the tenant's clock. */
    readonly postponeMs?: (value: number) => number
    /** Replaces the sending of the callback, or responds in place of the receiver. */
    readonly send?: (
      send: () => Promise<CallbackResponse>,
      value: number,
    ) => Promise<CallbackResponse & { readonly copies?: number }>
  }
}

/** All effects. Each row is the source of the effect's type, shape, flag, console fields and documentation. */
export const effects = {
  status: {
    label: 'Return a status',
    value: { bounds: 'status', label: 'Status', example: '503' },
    request: { replace: status => ({ status }) },
    callback: { send: async (_, status) => ({ status }) },
  },
  latency_ms: {
    label: 'Respond late',
    value: { bounds: 'latency_ms', label: 'Milliseconds', unit: ' ms', example: '2000' },
    request: { latencyMs: ms => ms },
  },
  timeout: { label: 'Never respond', request: { replace: () => ({ status: 504, broken: 'withheld' }) } },
  reset: {
    label: 'Cut the connection without processing',
    request: { replace: () => ({ status: 502, broken: 'cut' }) },
  },
  malformed: { label: 'Return broken JSON', request: { change: response => ({ ...response, broken: 'garbled' }) } },
  lost_reply: {
    label: 'Process the request, then cut the connection',
    request: { change: response => ({ ...response, broken: 'cut' }) },
  },
  drop: { label: 'Drop the callback', callback: { send: async () => ({ error: 'dropped by a fault' }) } },
  delay: {
    label: 'Delay the callback',
    value: { label: 'Duration', example: 'PT5S' },
    callback: { postponeMs: ms => ms },
  },
  duplicate: {
    label: 'Send extra copies of the callback',
    value: { bounds: 'duplicate', label: 'Copies', example: '1' },
    callback: {
      send: async (send, copies) => {
        // In parallel: sent one after the other, many copies to a slow receiver would outlast the callback's lease.
        const [first] = await Promise.all([send(), ...Array.from({ length: copies }, send)])
        return { ...first, copies }
      },
    },
  },
  reorder: {
    label: 'Send the callback after the next one',
    // The maximum wait for the lead's next callback.
    callback: { postponeMs: () => 60_000 },
  },
} as const satisfies Readonly<Record<string, EffectDefinition>>

/** The name of an effect. */
export type EffectName = keyof typeof effects

/** The type of the value of each effect. */
export type EffectValues = {
  [Name in EffectName]: (typeof effects)[Name] extends { readonly value: infer Value }
    ? Value extends { readonly bounds: string }
      ? number
      : string
    : true
}

/**
 * An effect with its value, such as `{ status: 503 }`. `retry_after`, in seconds, is the header that goes with `status`.
 */
export type Effect = {
  [Name in EffectName]: Pick<EffectValues, Name> &
    (Name extends 'status' ? { retry_after?: number | undefined } : unknown)
}[EffectName]

/** The effect that postponed a due callback. */
export type CallbackHold = Extract<EffectName, 'delay' | 'reorder'>

/** Returns the effects that can act on an operation of the service, or on a `callback`. */
export function effectsOn(target: string): EffectName[] {
  const place = target === 'callback' ? 'callback' : 'request'
  return (Object.keys(effects) as EffectName[]).filter(name => place in effects[name])
}

/** The header that selects a scenario for any payload. */
export const scenarioHeader = 'x-sandbox-scenario'

/** An effect, and the requests or callback attempts that it acts on. */
export interface Fault {
  /** An operation of the service, or the publisher's callback; and the scenario that the lead must have. */
  match: { operation: OperationName | 'callback'; scenario?: string | undefined }
  effect: Effect
  /** The number of times it acts. Default: unlimited. */
  times?: number | undefined
  /** The number of matching requests that pass first. */
  after?: number | undefined
  /** The probability of acting on a matching request, from 0 to 1. Default: 1. */
  probability?: number | undefined
}

/** All fields that presets use. */
export const presetFields = {
  times: { label: 'Times', min: 1, max: 1_000_000 },
  seconds: { label: 'Seconds', min: 1, max: 600 },
} as const

/** A value for each field of a preset. */
export type PresetValues = Readonly<Record<keyof typeof presetFields, number>>

/** The default of each field. */
export const usualPresetValues: PresetValues = { times: 2, seconds: 3 }

/** A common fault, named by its purpose. */
export interface FaultPreset {
  /** A short label for people, such as `Service down`. */
  readonly label: string
  /** Describes the effect in one sentence. */
  readonly about: (values: PresetValues) => string
  /** The fields that the preset uses; it ignores others. */
  readonly fields: readonly (keyof PresetValues)[]
  /** Returns the fault to add. */
  readonly fault: (values: PresetValues) => Fault
}

const onSubmissions = { operation: 'submitLead' } as const
const onCallbacks = { operation: 'callback' } as const

/** The most common faults by purpose. The command line and the console list them from this table. */
export const faultPresets: Readonly<Record<string, FaultPreset>> = {
  'service-down': {
    label: 'Service down',
    about: () => 'Every submission gets a 503, and nothing is stored, until you remove the fault.',
    fields: [],
    fault: () => ({ match: onSubmissions, effect: { status: 503 } }),
  },
  slow: {
    label: 'Slow',
    about: ({ seconds }) =>
      `Every submission waits ${formatSeconds(seconds)} before it is processed, until you remove the fault.`,
    fields: ['seconds'],
    fault: ({ seconds }) => ({ match: onSubmissions, effect: { latency_ms: seconds * 1_000 } }),
  },
  'lost-reply': {
    label: 'Reply lost',
    about: () => 'The next lead is decided and stored, but the connection is cut before the response.',
    fields: [],
    fault: () => ({ match: onSubmissions, effect: { lost_reply: true }, times: 1 }),
  },
  'rate-limited': {
    label: 'Rate limited',
    about: ({ times, seconds }) =>
      `${times === 1 ? 'The next submission gets' : `The next ${times} submissions get`} a 429 that says to retry after ${formatSeconds(seconds)}.`,
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
}

function formatSeconds(seconds: number): string {
  return `${seconds} second${seconds === 1 ? '' : 's'}`
}
