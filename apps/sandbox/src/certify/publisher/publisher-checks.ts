import { callbackChecks } from './checks/callback-checks.ts'
import { errorChecks } from './checks/error-checks.ts'
import { forgeryChecks } from './checks/forgery-checks.ts'
import { leadChecks } from './checks/lead-checks.ts'
import { redirectChecks } from './checks/redirect-checks.ts'
import { replyChecks } from './checks/reply-checks.ts'
import type { PublisherCheck } from './checks/submission-check.ts'

/** What a publisher's application must get right, in the order in which it is played and mended. */
export const publisherChecks: readonly PublisherCheck[] = [
  ...leadChecks,
  ...redirectChecks,
  ...errorChecks,
  ...replyChecks,
  ...callbackChecks,
  ...forgeryChecks,
]

/** The checks to play: that of signatures where callbacks are signed, which is an extension of the sandbox, or where it is asked for. */
export function publisherChecksFor(signed: boolean, only: readonly string[]): readonly PublisherCheck[] {
  return publisherChecks.filter(({ id }) => id !== 'forged.signature' || signed || only.includes(id))
}
