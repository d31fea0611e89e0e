/** Exit codes of the command. `usage` also means that the service doesn't respond. */
export const exitCodes = { conforms: 0, differs: 1, usage: 2 } as const

/** An error for stderr: whole sentences that say what to do. The command exits with 2. */
export class CommandError extends Error {}
