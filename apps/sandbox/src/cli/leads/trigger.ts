import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { type Command, Option } from 'commander'
import { CommandError } from '../exit-codes.ts'
import { paintStatus } from '../printing/paint.ts'
import { cuttable, table } from '../printing/table.ts'
import { type Session, sandboxVerb } from '../sandbox-verb.ts'
import { wholeNumber } from '../values.ts'
import { leadIdOf } from './lead-id.ts'

interface Flags {
  readonly lead: string
  readonly via?: ControlInput<'triggerEvent'>['via']
  readonly repeat?: number
  readonly advertiser?: string
}

/** `lead-sandbox trigger`: the simulated advertiser reports an event through the real endpoint. */
export function describeTrigger(command: Command): void {
  command
    .argument('<event>', 'registration, approved, rejected, completed, defaulted; by body also converted')
    .requiredOption('--lead <id>', 'its lead_id, or the address of its customer')
    .addOption(new Option('--via <way>', 'how it is reported (default: pixel)').choices(['pixel', 'body']))
    .addOption(new Option('--repeat <times>', 'how often to report it').argParser(wholeNumber('repeat')))
    .option('--advertiser <id>', 'the advertiser_id that reports it (default: the one that has the lead)')
  sandboxVerb(
    command,
    [
      'trigger approved --lead LEAD_ID',
      'trigger approved --lead ana@example.com',
      'trigger converted --lead LEAD_ID --via body --repeat 2',
    ],
    trigger,
  )
}

async function trigger(
  { tenant, print }: Session,
  { lead, via, repeat, advertiser }: Flags,
  event: string,
): Promise<void> {
  const reply = await tenant.leads.trigger(await leadIdOf(tenant, lead), {
    event,
    via,
    repeat,
    advertiser_id: advertiser,
  })
  print(reply, replyTable)
  const refused = reply.replies.filter(({ status }) => status < 200 || status > 299).length
  if (refused > 0)
    throw new CommandError(`The service did not take ${refused} of ${reply.replies.length} reports of ${event}.`)
}

function replyTable({ replies }: ControlReply<'triggerEvent'>): string {
  const rows = replies.map(({ status, body, broken }) => [
    paintStatus(status),
    broken ?? cuttable(JSON.stringify(body)),
  ])
  return table(['status', 'reply'], rows)
}
