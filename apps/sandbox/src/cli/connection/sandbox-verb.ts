import type { Command } from 'commander'
import { addConnectionFlags, type ConnectionFlags } from './connection-flags.ts'
import { createSession, type Session } from './session.ts'

/** What a verb does: with the session, its flags, and its arguments in their order. */
export type Run<Flags, Arguments extends readonly unknown[]> = (
  session: Session,
  flags: Flags,
  ...args: Arguments
) => Promise<void>

/** Completes a verb that works on a running sandbox: the flags that all have, its examples, and what it does. */
export function sandboxVerb<Flags, Arguments extends readonly unknown[]>(
  command: Command,
  examples: readonly string[],
  run: Run<Flags, Arguments>,
): void {
  const lines = examples.map(example => `  $ lead-sandbox ${example}`)
  addConnectionFlags(command)
    .addHelpText('after', ['', examples.length === 1 ? 'Example:' : 'Examples:', ...lines].join('\n'))
    .action(async () => {
      endQuietlyWithItsReader()
      const flags = command.opts<Flags & ConnectionFlags>()
      await run(createSession(flags), flags, ...(command.processedArgs as unknown as Arguments))
    })
}

/** Whoever reads our output may have enough of it, as `head` has: that is an end, not a fault. */
function endQuietlyWithItsReader(): void {
  process.stdout.on('error', fault => {
    if ((fault as NodeJS.ErrnoException).code !== 'EPIPE') throw fault
    process.exit(0)
  })
}
