/**
 * Receive and verify the callbacks of the service.
 * @module @lead-distribution/publisher-sdk/callbacks
 */

export { ConfigError, LeadSdkError } from '@lead-distribution/sdk-core/errors'
export { type CallbackReceiver, createCallbackReceiver, type ReceiverOptions } from './callbacks/callback-receiver.ts'
export { CallbackRefusedError } from './callbacks/callback-refused-error.ts'
export type { CallbackRequest, LambdaHttpEvent, LambdaRestEvent } from './callbacks/callback-request.ts'
export { createCallbackUrl } from './callbacks/callback-url.ts'
export {
  type CallbackClaim,
  type CallbackClaims,
  createKeyValueClaims,
  createMemoryClaims,
  type KeyValueStore,
} from './callbacks/claims.ts'
export {
  type AssuranceOf,
  type CallbackEvent,
  type CallbackHandler,
  type CallbackVerification,
  type VerifiedCallbackEvent,
  type VerifierOptions,
  verifyCallback,
} from './callbacks/verify-callback.ts'
