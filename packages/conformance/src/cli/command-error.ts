/** What the command ends with: it conforms, it differs, wrong usage or nobody to ask. */
export const exitCodes = { conforms: 0, differs: 1, usage: 2 } as const

/** Why nothing could be found out: whole sentences that say what to do, for stderr. It ends with 2. */
export class CommandError extends Error {}
