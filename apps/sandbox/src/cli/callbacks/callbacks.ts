import { type Command, Option } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import { withNext } from '../printing/next-page.ts'
import { withProgress } from '../printing/progress.ts'
import { wholeNumber } from '../values/numbers.ts'
import { duration, since } from '../values/times.ts'
import { callbackTable, callbackText } from './callback-text.ts'
import { tail } from './tail.ts'
import { wait } from './wait.ts'

interface ListFlags {
  readonly lead?: string
  readonly state?: string
  readonly limit?: number
  readonly before?: string
}

/** `lead-sandbox callbacks`. */
export function describeCallbacks(command: Command): void {
  command.helpCommand(false)
  describeList(command.command('list'))
  sandboxVerb(
    command
      .command('tail')
      .description('Follow what becomes of callbacks, try by try; ends by Ctrl-C.')
      .option('--lead <id>', 'only those of this lead')
      .option('--follow', 'go on also where nobody watches: in a pipe the default is to print and end')
      .option('--no-follow', 'print what there is, and end'),
    ['callbacks tail', 'callbacks tail --follow --json | jq .state'],
    tail,
  )
  sandboxVerb<unknown, [string]>(
    command.command('show').description('Show a callback with every try of it.').argument('<id>', 'its callback_id'),
    ['callbacks show CALLBACK_ID'],
    async (session, _flags, id) =>
      session.print(await session.ask<'showCallback'>('GET', ['callbacks', id]), callbackText),
  )
  sandboxVerb<unknown, [string]>(
    command
      .command('resend')
      .description('Send a callback anew, whatever became of it.')
      .argument('<id>', 'its callback_id'),
    ['callbacks resend CALLBACK_ID'],
    async (session, _flags, id) =>
      session.print(await session.ask<'resendCallback'>('POST', ['callbacks', id, 'resend']), callbackText),
  )
  sandboxVerb<{ since: string }, []>(
    command
      .command('recover')
      .description('Send anew all callbacks that failed since a time.')
      .addOption(
        new Option('--since <when>', 'a duration back from now, 24h, or a time').argParser(since).makeOptionMandatory(),
      ),
    ['callbacks recover --since 24h', 'callbacks recover --since 2026-01-31T00:00:00Z'],
    async (session, { since }) => {
      const recover = () => session.ask<'recoverCallbacks'>('POST', ['callbacks', 'recover'], { body: { since } })
      session.print(await withProgress('Sending callbacks anew', recover), ({ callbacks }) =>
        callbacks.length === 0 ? 'No callback failed since then.' : callbackTable(callbacks),
      )
    },
  )
  sandboxVerb(
    command
      .command('wait')
      .description('Wait until a callback of a lead was delivered; ends with 1 when the time is up.')
      .requiredOption('--lead <id>', 'the lead')
      .option('--event <event>', 'of this event (default: any)')
      .addOption(new Option('--timeout <duration>', 'how long').argParser(duration).default('PT5S')),
    ['callbacks wait --lead LEAD_ID --event approved --timeout 30s'],
    wait,
  )
}

function describeList(command: Command): void {
  command
    .description('List callbacks, newest first.')
    .option('--lead <id>', 'only those of this lead')
    .addOption(new Option('--state <state>', 'only those').choices(['pending', 'delivered', 'failed']))
    .addOption(new Option('--limit <count>', 'at most so many').argParser(wholeNumber('limit')))
    .option('--before <id>', 'only those older than this callback')
  sandboxVerb<ListFlags, []>(
    command,
    ['callbacks list --state failed'],
    async (session, { lead, state, limit, before }) => {
      const query = { lead_id: lead, state, limit, before }
      const reply = await session.ask<'listCallbacks'>('GET', ['callbacks'], { query })
      session.print(reply, ({ callbacks, next }) => withNext(callbackTable(callbacks), next))
    },
  )
}
