import { type Command, Option } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import type { Reply, Session } from '../connection/session.ts'
import { CommandFault } from '../exit-codes.ts'
import { cuttable } from '../printing/fit-columns.ts'
import { paintStatus } from '../printing/paint.ts'
import { table } from '../printing/table.ts'
import { wholeNumber } from '../values/numbers.ts'

interface Flags {
  readonly lead: string
  readonly via?: string
  readonly repeat?: number
  readonly advertiser?: string
}

/** `lead-sandbox trigger`: the simulated advertiser reports an event through the real endpoint. */
export function describeTrigger(command: Command): void {
  command
    .argument('<event>', 'registration, approved, rejected, completed, defaulted; by body also converted')
    .requiredOption('--lead <id>', 'the lead that it is about')
    .addOption(new Option('--via <way>', 'how it is reported (default: pixel)').choices(['pixel', 'body']))
    .addOption(new Option('--repeat <times>', 'report it so often').argParser(wholeNumber('repeat')))
    .option('--advertiser <id>', 'who reports it (default: the one who has the lead)')
  sandboxVerb(
    command,
    ['trigger approved --lead LEAD_ID', 'trigger converted --lead LEAD_ID --via body --repeat 2'],
    trigger,
  )
}

async function trigger(session: Session, { lead, via, repeat, advertiser }: Flags, event: string): Promise<void> {
  const body = { event, via, repeat, advertiser_id: advertiser }
  const reply = await session.ask<'triggerEvent'>('POST', ['leads', lead, 'trigger'], { body })
  session.print(reply, told)
  const refused = reply.replies.filter(({ status }) => status < 200 || status > 299).length
  if (refused > 0)
    throw new CommandFault(`The service did not take ${refused} of ${reply.replies.length} reports of ${event}.`)
}

function told({ replies }: Reply<'triggerEvent'>): string {
  const rows = replies.map(({ status, body, broken }) => [
    paintStatus(status),
    broken ?? cuttable(JSON.stringify(body)),
  ])
  return table(['status', 'reply'], rows)
}
