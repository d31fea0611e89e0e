export { ConfigError, LeadSdkError } from '@lead-distribution/sdk-core/callbacks'
export {
  type CallbackPeer,
  type CallbackReceiver,
  type CallbackRefusal,
  createCallbackReceiver,
  type LeadKnowledge,
  type ReceiverOptions,
} from './callbacks/callback-receiver.ts'
export { type CallbackUrl, createCallbackUrl } from './callbacks/callback-url.ts'
export { type CallbackClaim, type CallbackClaims, createMemoryClaims } from './callbacks/claims.ts'
export type {
  Assurance,
  AssuranceOf,
  CallbackEvent,
  CallbackEventName,
  CallbackHandler,
  CallbackVerification,
  SignatureVerification,
  VerifiedCallbackEvent,
} from './callbacks/verification.ts'
