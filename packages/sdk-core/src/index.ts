// The building blocks of both SDKs, besides their public exports.
export type { CallOptions, CallResult } from './call.ts'
export { safeListener } from './call.ts'
export {
  changedOptions,
  createHttpClient,
  knownInAddress,
  knownInCalls,
  knownInChanges,
} from './client.ts'
export * from './public.ts'
export { environmentVariable } from './runtime.ts'
export type { ServiceAddress } from './service-address.ts'
