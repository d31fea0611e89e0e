// What a receiver of callbacks is built from; free of ky.
export { type CallbackToSign, equalText, isLoopback, isSigningSecret, signCallback } from '@lead-distribution/contract'
export { LeadSdkError } from './errors/lead-sdk-error.ts'
export { ConfigError } from './errors/unsent-errors.ts'
export { safeListener } from './safe-listener.ts'
