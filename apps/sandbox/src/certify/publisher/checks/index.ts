import { callbackChecks } from './callbacks.ts'
import { errorChecks, replyChecks } from './failures.ts'
import { forgeryChecks } from './forgeries.ts'
import type { PublisherCheck } from './publisher-check.ts'
import { leadChecks, redirectChecks } from './submissions.ts'

/** What a publisher's application must get right, in the order in which it runs and is fixed. */
export const publisherChecks: readonly PublisherCheck[] = [
  ...leadChecks,
  ...redirectChecks,
  ...errorChecks,
  ...replyChecks,
  ...callbackChecks,
  ...forgeryChecks,
]

/** The checks to run. That of signatures is among them where callbacks are signed, an extension of the sandbox, or by `only`. */
export function publisherChecksFor(signed: boolean, only: readonly string[]): readonly PublisherCheck[] {
  return publisherChecks.filter(({ id }) => id !== 'forged.signature' || signed || only.includes(id))
}
