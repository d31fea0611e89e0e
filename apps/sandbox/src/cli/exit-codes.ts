/** Exit codes: success, refusal or failure, wrong usage. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** A failure of a command. The message goes to stderr: whole sentences that say what to do. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}
