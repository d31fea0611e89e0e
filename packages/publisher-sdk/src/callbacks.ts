/**
 * Receive and verify the callbacks of the service.
 * @module @lead-distribution/publisher-sdk/callbacks
 */

export { ConfigError, LeadSdkError } from '@lead-distribution/sdk-core/callbacks'
export type {
  CallbackMessage,
  CallbackRequest,
  LambdaHttpEvent,
  LambdaRestEvent,
  NodeRequest,
} from './callbacks/callback-message.ts'
export {
  type CallbackReceiver,
  createCallbackReceiver,
  type LeadKnowledge,
  type ReceiverOptions,
} from './callbacks/callback-receiver.ts'
export { type CallbackUrl, createCallbackUrl } from './callbacks/callback-url.ts'
export {
  type CallbackClaim,
  type CallbackClaims,
  type ClaimResult,
  createKeyValueClaims,
  createMemoryClaims,
  type KeyValueClaimsOptions,
  type KeyValueStore,
} from './callbacks/claims.ts'
export type { HandlingLimits } from './callbacks/handle-once.ts'
export type {
  Assurance,
  AssuranceOf,
  CallbackEvent,
  CallbackEventName,
  CallbackHandler,
  CallbackVerification,
  HandlingContext,
  SignatureVerification,
  VerifiedCallbackEvent,
} from './callbacks/verification.ts'
export {
  type CallbackPeer,
  type CallbackRefusal,
  CallbackRefusedError,
  type VerifierOptions,
  verifyCallback,
} from './callbacks/verify-callback.ts'
