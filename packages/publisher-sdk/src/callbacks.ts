/**
 * Receive and verify the service's callbacks.
 * @module @lead-distribution/publisher-sdk/callbacks
 */

export { ConfigError } from '@lead-distribution/sdk-core/errors'
export { type CallbackReceiver, createCallbackReceiver, type ReceiverOptions } from './callbacks/callback-receiver.ts'
export { CallbackRefusedError } from './callbacks/callback-refused-error.ts'
export { createCallbackUrl } from './callbacks/callback-url.ts'
export { type CallbackClaim, type CallbackClaims, createMemoryClaims } from './callbacks/claims.ts'
export {
  type CallbackEvent,
  type CallbackVerification,
  type VerifiedCallbackEvent,
  verifyCallback,
} from './callbacks/verify-callback.ts'
