import { codeOf, LeadSdkError } from './lead-sdk-error.ts'

/** The reply is none that the specification knows, such as a redirect: most likely another server answered. Check the base URL. */
export class ProtocolError extends LeadSdkError {
  override readonly name = 'ProtocolError'
  readonly code = 'protocol'

  /** Whether a caught value is this fault, whichever copy of the package made it. */
  static override is(value: unknown): value is ProtocolError {
    return codeOf(value) === 'protocol'
  }
}
