// What a receiver of callbacks is built from; free of ky.
export { type CallbackToSign, isSigningSecret, signCallback } from './callback-signature.ts'
export { equalText } from './equal-text.ts'
export { ConfigError } from './errors/config-error.ts'
export { LeadSdkError } from './errors/lead-sdk-error.ts'
export { quietly } from './quietly.ts'
export { isLoopback } from './settings/environment.ts'
