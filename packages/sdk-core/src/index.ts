// What the SDKs are built from, besides what they export.
export type { Call, CallResult } from './call/call.ts'
export type { EventBase } from './call/call-events.ts'
export { createHttpClient, type HttpClient } from './call/http-client.ts'
export { Pace } from './call/pace.ts'
export type { CallName } from './call/retry.ts'
export type { ErrorFacts } from './errors/lead-sdk-error.ts'
export * from './public.ts'
export type { KeyVariable } from './settings/api-key.ts'
export {
  changedOptions,
  knownInAddress,
  knownInCalls,
  knownInChanges,
  resolveLimits,
} from './settings/client-options.ts'
