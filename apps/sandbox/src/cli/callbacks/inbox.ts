import { type Command, Option } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import type { Reply } from '../connection/session.ts'
import { paintStatus } from '../printing/paint.ts'
import { table } from '../printing/table.ts'
import { shortTime } from '../printing/time.ts'
import { wholeNumber } from '../values/numbers.ts'

/** `lead-sandbox inbox`. */
export function describeInbox(command: Command): void {
  command.helpCommand(false)
  sandboxVerb<unknown, []>(
    command.command('show').description('Show what the inbox got, and how it answers.'),
    ['inbox show'],
    async session => session.print(await session.ask<'showInbox'>('GET', ['inbox']), inboxText),
  )
  sandboxVerb<{ times?: number }, [number]>(
    command
      .command('fail')
      .description('Have the inbox answer this status, so that deliveries fail.')
      .argument('<status>', 'what it answers, 503', wholeNumber('status'))
      .addOption(new Option('--times <count>', 'so often (default: until told else)').argParser(times)),
    ['inbox fail 503 --times 2'],
    async (session, { times }, status) =>
      session.print(await session.ask<'changeInbox'>('PATCH', ['inbox'], { body: { status, times } }), modeText),
  )
  sandboxVerb<unknown, []>(
    command.command('take').description('Have the inbox take callbacks again.'),
    ['inbox take'],
    async session =>
      session.print(await session.ask<'changeInbox'>('PATCH', ['inbox'], { body: { status: 200 } }), modeText),
  )
}

const times = wholeNumber('times', 1)

function inboxText({ callbacks, ...mode }: Reply<'showInbox'>): string {
  const rows = callbacks.map(({ received_at, lead_id, event, status }) => [
    shortTime(received_at),
    lead_id,
    event,
    paintStatus(status),
  ])
  const got = rows.length > 0 ? table(['received (UTC)', 'lead', 'event', 'answered'], rows) : 'It got no callbacks.'
  return `${modeText(mode)}\n\n${got}`
}

function modeText({ status, times }: Reply<'changeInbox'>): string {
  return `The inbox answers ${paintStatus(status)}${times === undefined ? '' : ` to the next ${times}, then takes them`}.`
}
