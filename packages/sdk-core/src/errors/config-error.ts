import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/** The client or the receiver is set up wrongly. Nothing was sent; correct the set-up. */
export class ConfigError extends LeadSdkError {
  override readonly name = 'ConfigError'
  readonly code = 'config'

  constructor(message: string) {
    super(message, { sent: 'no', retryable: false })
  }

  /** Whether a caught value is this fault, whichever copy of the package made it. */
  static override is(value: unknown): value is ConfigError {
    return codeOf(value) === 'config'
  }
}
