import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/** The request never reached the service: refused connection, unknown host, untrusted certificate. It is safe to send again. */
export class NotSentError extends LeadSdkError {
  override readonly name = 'NotSentError'
  readonly code = 'not_sent'

  /** Whether a caught value is this fault, whichever copy of the package made it. */
  static override is(value: unknown): value is NotSentError {
    return codeOf(value) === 'not_sent'
  }
}
