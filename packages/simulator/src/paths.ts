/** The outer surface of the sandbox. This file loads nothing, so that a command line starts quickly. */

/** Everything of the sandbox is below this path; nothing of it is in the service's paths. */
export const sandboxPath = '/_sandbox'

export const controlPath = `${sandboxPath}/v1`

/** The path of the readable reference, where an application serves one. */
export const referencePath = `${sandboxPath}/docs`

/** The pages for operators, below the sandbox's path. */
export const operatorPaths = {
  /** Shows whether the sandbox works. */
  health: '/health',
  /** The liveness probe: restart the process if it fails. */
  live: '/health/live',
  /** The readiness probe: send no requests while it fails. */
  ready: '/health/ready',
  /** Metrics for Prometheus. */
  metrics: '/metrics',
} as const

/** The header that names a scenario for any payload; the one header that the sandbox adds to the service. */
export const scenarioHeader = 'x-sandbox-scenario'

/** The bounds of a whole number, both inclusive. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

/** The bounds of the whole numbers that the control plane takes. */
export const controlBounds = {
  /** Entries of a list. */
  limit: { min: 1, max: 500 },
  /** Milliseconds to wait for a callback. */
  timeout_ms: { min: 0, max: 60_000 },
  /** Reports of one trigger. */
  repeat: { min: 1, max: 100 },
  /** The number of times a fault acts or an inbox fails, and the number of calls that pass first. */
  times: { min: 0, max: 1_000_000 },
  /** HTTP statuses that an inbox or a fault responds with. */
  status: { min: 200, max: 599 },
  /** Seconds. */
  retry_after: { min: 0, max: 86_400 },
  /** Milliseconds. */
  latency_ms: { min: 0, max: 600_000 },
  /** More copies of a callback. */
  duplicate: { min: 0, max: 100 },
} as const satisfies Record<string, Bounds>

/** An effect of a fault. */
export interface FaultEffectKind {
  /** The calls of the service, the callbacks to the publisher, or both. */
  readonly on: 'calls' | 'callbacks' | 'both'
  /** A short imperative for people, such as `Drop the callback`. */
  readonly label: string
  /** The value that it takes: a number within `controlBounds`, or an ISO 8601 duration. Without one, it takes `true`. */
  readonly value?: {
    readonly type: 'number' | 'duration'
    readonly label: string
    readonly unit?: string
    readonly example: string
  }
}

/** Every effect of a fault. Its type, shape, flag and console field are made from this table. */
export const faultEffects = {
  status: {
    on: 'both',
    label: 'Return a status',
    value: { type: 'number', label: 'Status', example: '503' },
  },
  latency_ms: {
    on: 'calls',
    label: 'Respond late',
    value: { type: 'number', label: 'Milliseconds', unit: ' ms', example: '2000' },
  },
  timeout: { on: 'calls', label: 'Never respond' },
  reset: { on: 'calls', label: 'Cut the connection without processing' },
  malformed: { on: 'calls', label: 'Return broken JSON' },
  lost_reply: { on: 'calls', label: 'Process the request, then cut the connection' },
  drop: { on: 'callbacks', label: 'Drop the callback' },
  delay: {
    on: 'callbacks',
    label: 'Delay the callback',
    value: { type: 'duration', label: 'Duration', example: 'PT5S' },
  },
  duplicate: {
    on: 'callbacks',
    label: 'Send extra copies of the callback',
    value: { type: 'number', label: 'Copies', example: '1' },
  },
  reorder: { on: 'callbacks', label: 'Send the callback after the next one' },
} as const satisfies Readonly<Record<string, FaultEffectKind>>

/** The name of an effect of a fault. */
export type FaultEffectName = keyof typeof faultEffects

/** The type of the value of an effect. */
export type FaultEffectValue<Name extends FaultEffectName> = (typeof faultEffects)[Name] extends {
  readonly value: { readonly type: infer Type }
}
  ? Type extends 'number'
    ? number
    : string
  : true

/** Returns the effects that a fault can have on an operation of the service, or on a `callback`. */
export function faultEffectsOn(operation: string): FaultEffectName[] {
  const place = operation === 'callback' ? 'callbacks' : 'calls'
  const effects = Object.entries<FaultEffectKind>(faultEffects) as [FaultEffectName, FaultEffectKind][]
  return effects.flatMap(([name, { on }]) => (on === 'both' || on === place ? name : []))
}

export {
  type FaultPreset,
  type FaultPresetField,
  type FaultPresetFieldName,
  type FaultPresetName,
  type FaultPresetValues,
  faultPresetFields,
  faultPresets,
  type PresetFault,
} from './faults/fault-presets.ts'

/** The largest page of a list of the control plane, bytes; a page of a single entry may be larger. */
export const maxPageBytes = 4_194_304

/** The largest file of a snapshot, bytes. */
export const maxSnapshotBytes = 16_777_216

/** The addresses of a sandbox, all on its own origin and below the path that it is mounted at. */
export interface Urls {
  /** Scheme, host and port of the sandbox, and the path that it is mounted at. */
  readonly origin: string
  /** The base address of the service (Spec 9). */
  readonly base: string
  /** The simulated advertiser's page: where a `redirect_url` leads. */
  readonly advertiserPage: (leadId: string, advertiserId: string) => string
  /** The inbox that takes the callbacks of a tenant without a callback URL. */
  readonly inbox: (tenant: string) => string
  /** The pixel of a lead, without its query. */
  readonly pixel: (leadId: string) => string
}

/** Returns the URL at which a lead is reported: by a JSON call (Spec 4.2), and with a token by the pixel (Spec 4.3). */
export function statusUrl(baseUrl: string, leadId: string): string {
  return `${baseUrl}/lead/${leadId}/status`
}

/** The URLs of a sandbox on an origin, such as `http://127.0.0.1:4010`. */
export function createUrls(origin: string, servicePath: string): Urls {
  return {
    origin,
    base: `${origin}${servicePath}`,
    advertiserPage: (leadId, advertiserId) => `${origin}${sandboxPath}/advertiser/${leadId}/${advertiserId}`,
    inbox: tenant => `${origin}${sandboxPath}/inbox/${tenant}`,
    pixel: leadId => statusUrl(`${origin}${servicePath}`, leadId),
  }
}
