/** SQLite's result codes that a user can do something about. */
const advice: Record<number, string> = {
  5: 'is in use by another process: stop the sandbox that has it, or name another file',
  6: 'is in use by another process: stop the sandbox that has it, or name another file',
  8: 'cannot be written: give this user the right to write the file and its folder, or name another file',
  11: 'is damaged: remove it to start afresh, or restore a copy',
  13: 'does not fit on the disk: make room, or name a file elsewhere',
  14: 'cannot be opened: check that it is a file, in a folder that this user may write',
  26: 'is not a SQLite database: name another file, it was left as it is',
}

/** An error that says which file it is about and what to do; errors that say it already stay as they are. */
export function explainOpenFault(fault: unknown, file: string): unknown {
  if (!(fault instanceof Error)) return fault
  const { code, errcode } = fault as Error & { code?: string; errcode?: number }
  // The lowest byte is the kind, the others say more than a user needs.
  const known = errcode === undefined ? undefined : advice[errcode & 0xff]
  if (known) return new Error(`${file} ${known}.`, { cause: fault })
  if (code === undefined) return fault
  return new Error(`${file} cannot be opened (${fault.message}): name a file in a folder that this user may write.`, {
    cause: fault,
  })
}
