// What the SDKs are built from, besides what they export.
export type { Call, CallName, CallOptions, CallResult } from './call/call.ts'
export { type CallEventListener, safeListener } from './call/call-events.ts'
export { createHttpClient, type HttpClient } from './call/http-client.ts'
export { Pace } from './call/pace.ts'
export * from './public.ts'
export {
  changedOptions,
  copyOptions,
  knownInAddress,
  knownInCalls,
  knownInChanges,
  resolveLimits,
} from './settings/client-options.ts'
export type { ServiceAddress } from './settings/service-address.ts'
