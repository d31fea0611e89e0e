import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { type Command, Option } from 'commander'
import { CommandError } from './exit-codes.ts'
import { cuttable, paintStatus, paintValue, table } from './printing.ts'
import { leadIdOf, type Session, sandboxVerb } from './sandbox-verb.ts'
import { wholeNumber } from './values.ts'

interface TriggerFlags {
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
    .option('--repeat <times>', 'how often to report it', wholeNumber('repeat'))
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
  { lead, via, repeat, advertiser }: TriggerFlags,
  event: string,
): Promise<void> {
  const reply = await tenant.leads.trigger(await leadIdOf(tenant, lead), {
    event,
    via,
    repeat,
    advertiserId: advertiser,
  })
  print(reply, replyTable)
  const refused = reply.replies.filter(({ status }) => status < 200 || status > 299).length
  if (refused > 0)
    throw new CommandError(`The service refused ${refused} of ${reply.replies.length} reports of ${event}.`)
}

function replyTable({ replies }: ControlReply<'triggerEvent'>): string {
  const rows = replies.map(({ status, body, broken }) => [
    paintStatus(status),
    broken ?? cuttable(JSON.stringify(body)),
  ])
  return table(['status', 'response'], rows)
}

export function describeDiagnose(command: Command): void {
  command.argument('<url>', 'a postback URL as an advertiser would fire it; it is not fired')
  sandboxVerb(command, [`diagnose 'http://127.0.0.1:4010/api/v1/lead/LEAD_ID/status?token=…&event=approved'`], diagnose)
}

async function diagnose({ tenant, print }: Session, _flags: unknown, url: string): Promise<void> {
  const reply = await tenant.diagnosePostback(url)
  print(reply, findingsTable)
  const wrong = reply.findings.filter(({ verdict }) => verdict === 'wrong').length
  if (wrong > 0) throw new CommandError(`This URL would report nothing. Checks failed: ${wrong}.`)
}

function findingsTable({ findings }: ControlReply<'diagnosePostback'>): string {
  return table(
    ['check', 'verdict', 'finding'],
    findings.map(({ check, verdict, message }) => [check, paintValue(verdict), message]),
  )
}
