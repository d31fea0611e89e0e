// What the SDKs are built from, besides what they export.
export type { Call, CallName, CallOptions, CallResult } from './call.ts'
export { safeListener } from './call.ts'
export {
  changedOptions,
  createHttpClient,
  type HttpClient,
  knownInAddress,
  knownInCalls,
  knownInChanges,
  resolveLimits,
} from './client.ts'
export * from './public.ts'
export { environmentVariable } from './runtime.ts'
export type { ServiceAddress } from './service-address.ts'
