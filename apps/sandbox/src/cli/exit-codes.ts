import { ControlError } from '@lead-distribution/control-client'

/** What a command ends with: done, refused or failed, wrong usage. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** A command that failed; its message, whole sentences that say what to do, goes to stderr. */
export class CommandError extends Error {
  /** The exit code of the process. */
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** What a person can do where no sandbox answers. */
export const howToStart = 'Start one with lead-sandbox start, or name a running one by --sandbox URL.'

/** Added where a reply is missing. */
export const maybeDone = 'To see whether it was: lead-sandbox logs tail.'

/** What is printed of an error. */
export function messageOf(error: unknown): string {
  if (error instanceof ControlError) return controlMessage(error)
  return error instanceof Error ? error.message : String(error)
}

/** A refusal of the control plane, with what is wrong field by field; or why there is no reply of it. */
function controlMessage({ status, code, reason, details }: ControlError): string {
  if (code === 'unreachable' || code === 'not_a_sandbox') return `${reason} ${howToStart}`
  if (status === 0) return `${reason} ${maybeDone}`
  return [`${reason} (${status} ${code})`, ...details.map(({ field, issue }) => `  ${field}: ${issue}`)].join('\n')
}
