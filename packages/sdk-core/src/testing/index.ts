// The fake service that the testing entries of both SDKs share.

// Loaded before a test, not by its first call: that takes real time, in which timers that a test advances stand still.
import ky from 'ky'

export type { CallName } from '../call/retry.ts'
export * from './fake-account.ts'
export { type FakeReply, type FakeWord, fakeWords } from './fake-reply.ts'
export type { FakeRequest } from './fake-request.ts'
export * from './fake-service.ts'

// A use, because declarations repeat an import without one, and would tie users to ky.
void ky
