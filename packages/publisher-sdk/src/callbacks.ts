export { ConfigError, LeadSdkError } from '@lead-distribution/sdk-core/callbacks'
export type { Assurance, CallbackEvent, CallbackEventName, VerifiedCallbackEvent } from './callbacks/callback-event.ts'
export { createCallbackReceiver } from './callbacks/callback-receiver.ts'
export { type CallbackUrl, createCallbackUrl } from './callbacks/callback-url.ts'
export { type CallbackClaim, type CallbackClaims, createMemoryClaims } from './callbacks/claims.ts'
export type {
  CallbackHandler,
  CallbackPeer,
  CallbackReceiver,
  CallbackRefusal,
  LeadKnowledge,
  ReceiverOptions,
} from './callbacks/receiver-options.ts'
export type { AssuranceOf, CallbackVerification, SignatureVerification } from './callbacks/verification.ts'
