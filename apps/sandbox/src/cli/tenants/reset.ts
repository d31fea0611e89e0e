import type { Command } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'

/** `lead-sandbox reset`. */
export function describeReset(command: Command): void {
  sandboxVerb<unknown, []>(command, ['reset', 'reset --tenant qa'], async session => {
    const reply = await session.ask<'resetTenant'>('POST', ['reset'])
    session.print(reply, ({ tenant }) => `The tenant ${tenant} is as it was made.`)
  })
}
