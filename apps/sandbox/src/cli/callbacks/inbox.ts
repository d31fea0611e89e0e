import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { type Command, Option } from 'commander'
import { paintStatus } from '../printing/paint.ts'
import { shortTime, withNext } from '../printing/printing.ts'
import { table } from '../printing/table.ts'
import { sandboxVerb } from '../sandbox-verb.ts'
import { wholeNumber } from '../values.ts'

/** `lead-sandbox inbox`. */
export function describeInbox(command: Command): void {
  command.helpCommand(false)
  sandboxVerb<ControlInput<'showInbox'>, []>(
    command
      .command('show')
      .description('Show what the inbox received, newest first, and how it answers.')
      .addOption(new Option('--limit <count>', 'at most so many').argParser(wholeNumber('limit')))
      .option('--before <id>', 'only those older than this entry'),
    ['inbox show', 'inbox show --json --limit 1'],
    async ({ tenant, print }, { limit, before }) => print(await tenant.inbox.show({ limit, before }), inboxText),
  )
  sandboxVerb<{ times?: number }, [number]>(
    command
      .command('fail')
      .description('Have the inbox answer this status, so that deliveries fail.')
      .argument('<status>', 'what it answers, 503', wholeNumber('status'))
      .addOption(new Option('--times <count>', 'how often (default: until changed)').argParser(times)),
    ['inbox fail 503 --times 2'],
    async ({ tenant, print }, { times }, status) => print(await tenant.inbox.change({ status, times }), modeText),
  )
  sandboxVerb<unknown, []>(
    command.command('take').description('Have the inbox take callbacks again.'),
    ['inbox take'],
    async ({ tenant, print }) => print(await tenant.inbox.change({ status: 200 }), modeText),
  )
}

const times = wholeNumber('times', 1)

function inboxText({ callbacks, next, ...mode }: ControlReply<'showInbox'>): string {
  const rows = callbacks.map(({ received_at, lead_id, event, status }) => [
    shortTime(received_at),
    lead_id,
    event,
    paintStatus(status),
  ])
  const received =
    rows.length > 0 ? table(['received (UTC)', 'lead', 'event', 'answered'], rows) : 'It received no callbacks.'
  return `${modeText(mode)}\n\n${withNext(received, next)}`
}

function modeText({ status, times }: ControlReply<'changeInbox'>): string {
  return `The inbox answers ${paintStatus(status)}${times === undefined ? '' : ` to the next ${times === 1 ? 'callback' : `${times} callbacks`}, then takes them`}.`
}
