// The fake service that the testing entries of both SDKs share.

// What a first call loads is loaded before a test: the load takes real time, in which timers that a test advances stand still.
import 'ky'

export type { CallName } from '../call/retry.ts'
export * from './fake-account.ts'
export { type FakeReply, type FakeWord, fakeWords } from './fake-reply.ts'
export type { FakeRequest } from './fake-request.ts'
export * from './fake-service.ts'
