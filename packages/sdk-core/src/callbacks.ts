// What a receiver of callbacks is built from; free of ky.
export { type CallbackToSign, equalText, isLoopback, isSigningSecret, signCallback } from '@lead-distribution/contract'
export { safeListener } from './call/call-events.ts'
export { LeadSdkError } from './errors/lead-sdk-error.ts'
export { ConfigError } from './errors/unsent-errors.ts'
