import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/**
 * An option or an argument is wrong, or an API key is missing. Nothing was sent. Correct the code or the environment.
 * @example
 * ```ts
 * import { ConfigError } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!ConfigError.is(error)) throw error
 *   report(error.message) // says what to correct
 * }
 * ```
 */
export class ConfigError extends LeadSdkError {
  override readonly name = 'ConfigError'
  readonly code = 'config'

  constructor(message: string) {
    super(message, { sent: 'no', retryable: false })
  }

  /** Returns true if a caught value is this error, from any copy of the package. */
  static override is(value: unknown): value is ConfigError {
    return codeOf(value) === 'config'
  }
}

/** @throws ConfigError unless the condition holds. */
export function assertConfig(condition: unknown, message: string): asserts condition {
  if (!condition) throw new ConfigError(message)
}
