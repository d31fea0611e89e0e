// What users of the SDKs meet.
export type { BackOff } from './call/back-off.ts'
// What the SDKs are built from.
export type { Answered, Call } from './call/call.ts'
export type { CallAttempt } from './call/call-attempt.ts'
export type { CallEvent, CallEventListener, EventBase } from './call/call-event.ts'
export type { CallMeta, ReplyMeta } from './call/call-meta.ts'
export { type Caller, createCaller } from './call/caller.ts'
export type { Fetch } from './call/exchange.ts'
export type { CallName } from './call/retry-table.ts'
export * from './errors/index.ts'
export type { Open } from './open.ts'
export type { ApiKey, KeyVariable } from './settings/api-key.ts'
export type {
  CallLimits,
  CallOptions,
  ClientOptions,
  ServiceAddress,
  SharedOptions,
} from './settings/client-options.ts'
export type { Environment } from './settings/environment.ts'
