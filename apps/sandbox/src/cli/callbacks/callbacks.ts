import type { ControlInput } from '@lead-distribution/simulator'
import { controlBounds } from '@lead-distribution/simulator/paths'
import { type Command, Option } from 'commander'
import { leadIdOf } from '../leads/lead-id.ts'
import { follow, withNext, withProgress } from '../printing/printing.ts'
import { type Session, sandboxVerb } from '../sandbox-verb.ts'
import { duration, since, wholeNumber } from '../values.ts'
import { callbackLine, callbackTable, callbackText } from './callback-text.ts'

/** `lead-sandbox callbacks`. */
export function describeCallbacks(command: Command): void {
  command.helpCommand(false)
  describeList(command.command('list'))
  describeTail(command.command('tail'))
  sandboxVerb<unknown, [string]>(
    command.command('show').description('Show a callback with all its attempts.').argument('<id>', 'its callback_id'),
    ['callbacks show CALLBACK_ID'],
    async ({ tenant, print }, _flags, id) => print(await tenant.callbacks.show(id), callbackText),
  )
  sandboxVerb<unknown, [string]>(
    command.command('resend').description('Resend a callback, whatever its state.').argument('<id>', 'its callback_id'),
    ['callbacks resend CALLBACK_ID'],
    async ({ tenant, print }, _flags, id) => print(await tenant.callbacks.resend(id), callbackText),
  )
  describeRecover(command.command('recover'))
  describeHold(command)
  describeWait(command.command('wait'))
}

interface ListFlags {
  readonly lead?: string
  readonly state?: ControlInput<'listCallbacks'>['state']
  readonly limit?: number
  readonly before?: string
}

function describeList(command: Command): void {
  command
    .description('List callbacks, newest first.')
    .option('--lead <id>', 'only those of this lead: its lead_id, or the address of its customer')
    .addOption(new Option('--state <state>', 'only those').choices(['pending', 'delivered', 'failed']))
    .addOption(new Option('--limit <count>', 'at most so many').argParser(wholeNumber('limit')))
    .option('--before <id>', 'only those older than this callback')
  sandboxVerb<ListFlags, []>(
    command,
    ['callbacks list --state failed'],
    async ({ tenant, print }, { lead, state, limit, before }) => {
      const reply = await tenant.callbacks.list({
        lead_id: lead && (await leadIdOf(tenant, lead)),
        state,
        limit,
        before,
      })
      print(reply, ({ callbacks, next }) => withNext(callbackTable(callbacks), next))
    },
  )
}

interface TailFlags {
  readonly lead?: string
  readonly follow?: boolean
}

function describeTail(command: Command): void {
  command
    .description('Follow callbacks, attempt by attempt, until Ctrl-C.')
    .option('--lead <id>', 'only those of this lead: its lead_id, or the address of its customer')
    .option('--follow', 'also follow in a pipe, where the default is to print and end')
    .option('--no-follow', 'print the callbacks so far, and end')
  sandboxVerb(command, ['callbacks tail', 'callbacks tail --follow --json | jq .state'], tail)
}

/** Prints callbacks when they come and whenever their state or attempts change: a line each, as JSON the callback. */
async function tail({ tenant, print }: Session, { lead, follow: isFollowing }: TailFlags): Promise<void> {
  const known = new Map<string, string>()
  // A callback that changes is among the newest.
  const filter = { lead_id: lead && (await leadIdOf(tenant, lead)), limit: controlBounds.limit.max }
  await follow(
    async () => {
      const { callbacks } = await tenant.callbacks.list(filter)
      for (const callback of callbacks.toReversed()) {
        const state = `${callback.state} ${callback.attempts.length}`
        if (known.get(callback.callback_id) === state) continue
        known.set(callback.callback_id, state)
        print(callback, callbackLine)
      }
    },
    isFollowing ?? process.stdout.isTTY === true,
  )
}

function describeRecover(command: Command): void {
  command
    .description('Resend all callbacks that failed since a time.')
    .addOption(
      new Option('--since <when>', 'a duration back from now, 24h, or a time').argParser(since).makeOptionMandatory(),
    )
  sandboxVerb<{ since: string }, []>(
    command,
    ['callbacks recover --since 24h', 'callbacks recover --since 2026-01-31T00:00:00Z'],
    async ({ tenant, print }, { since }) => {
      const reply = await withProgress('Resending callbacks', () => tenant.callbacks.recover({ since }))
      print(reply, ({ callbacks }) =>
        callbacks.length === 0 ? 'No callback failed since then.' : callbackTable(callbacks),
      )
    },
  )
}

/** `hold` and `release`: what is due waits, whatever the clock shows, until it is released. */
function describeHold(command: Command): void {
  sandboxVerb<unknown, []>(
    command.command('hold').description('Hold all callbacks until they are released, whatever the clock shows.'),
    ['callbacks hold'],
    async ({ tenant, print }) =>
      print(
        await tenant.callbacks.hold(),
        ({ tenant }) => `The callbacks of ${tenant} are held. To send them: lead-sandbox callbacks release`,
      ),
  )
  sandboxVerb<unknown, []>(
    command.command('release').description('Release the callbacks: what is due is sent at once, in order.'),
    ['callbacks release'],
    async ({ tenant, print }) =>
      print(
        await withProgress('Sending what is due', () => tenant.callbacks.release()),
        ({ tenant }) => `The callbacks of ${tenant} are released: those that were due have been sent.`,
      ),
  )
}

interface WaitFlags {
  readonly lead: string
  readonly event?: string
  /** An ISO 8601 duration. */
  readonly timeout: string
}

function describeWait(command: Command): void {
  command
    .description('Wait until a callback of a lead is delivered; ends with 1 when the time is up.')
    .requiredOption('--lead <id>', 'its lead_id, or the address of its customer')
    .option('--event <event>', 'of this event (default: any)')
    .addOption(new Option('--timeout <duration>', 'how long').argParser(duration).default('PT5S'))
  sandboxVerb<WaitFlags, []>(
    command,
    ['callbacks wait --lead LEAD_ID --event approved --timeout 30s'],
    async ({ tenant, print }, { lead, event, timeout }) => {
      const { durationMs } = await import('@lead-distribution/engine')
      const wanted = { lead_id: await leadIdOf(tenant, lead), event, timeout_ms: durationMs(timeout) }
      print(await withProgress('Waiting for the callback', () => tenant.callbacks.wait(wanted)), callbackText)
    },
  )
}
