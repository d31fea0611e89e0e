/** What a command ends with: done, refused or failed, wrong usage. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** An end that is not well; its message, whole sentences that say what to do, goes to stderr. */
export class CommandFault extends Error {
  /** What the process ends with. */
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}
