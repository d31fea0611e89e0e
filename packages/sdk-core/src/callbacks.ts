// What a receiver of callbacks is built from; free of ky.
export { type CallbackToSign, equalText, isLoopback, isSigningSecret, signCallback } from '@lead-distribution/contract'
export { ConfigError } from './errors/config-error.ts'
export { LeadSdkError } from './errors/lead-sdk-error.ts'
export { quietly } from './quietly.ts'
