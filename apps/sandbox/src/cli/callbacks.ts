import { durationMs } from '@lead-distribution/contract'
import type { Callback, Options } from '@lead-distribution/control-client'
import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { bounds } from '@lead-distribution/simulator/bounds'
import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  contentText,
  follow,
  line,
  list,
  paintStatus,
  paintValue,
  sections,
  shortTime,
  table,
  withNext,
  withProgress,
} from './printing.ts'
import { leadIdOf, type Session, sandboxVerb } from './sandbox-verb.ts'
import { duration, since, wholeNumber } from './values.ts'

export function describeCallbacks(command: Command): void {
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
  describeSend(command.command('send'))
  describeRecover(command.command('recover'))
  describeHold(command)
  describeWait(command.command('wait'))
}

type ListFlags = Options<'listCallbacks'> & { readonly lead?: string }

function describeList(command: Command): void {
  command
    .description('List callbacks, newest first.')
    .option('--lead <id>', 'only those of this lead: its lead_id, or the address of its customer')
    .addOption(new Option('--state <state>', 'only those').choices(['pending', 'delivered', 'failed']))
    .option('--limit <count>', 'the maximum number to list', wholeNumber('limit'))
    .option('--before <id>', 'only those older than this callback')
  sandboxVerb<ListFlags, []>(
    command,
    ['callbacks list --state failed'],
    async ({ tenant, print }, { lead, ...filter }) => {
      const reply = await tenant.callbacks.list({ ...filter, leadId: lead && (await leadIdOf(tenant, lead)) })
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
    .option('--follow', 'also follow in a pipe, where the default is to print and exit')
    .option('--no-follow', 'print the callbacks so far, and exit')
  sandboxVerb(command, ['callbacks tail', 'callbacks tail --follow --json | jq .state'], tail)
}

/** Prints callbacks when they come and whenever their state or attempts change: a line each, as JSON the callback. */
async function tail({ tenant, print }: Session, { lead, follow: isFollowing }: TailFlags): Promise<void> {
  const known = new Map<string, string>()
  // A callback that changes is among the newest.
  const filter = { leadId: lead && (await leadIdOf(tenant, lead)), limit: bounds.limit.max }
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

interface SendFlags {
  readonly edit?: Readonly<Record<string, string>>
  readonly badSignature?: true
  readonly repeat?: number
  /** An ISO 8601 duration. */
  readonly late?: string
}

function describeSend(command: Command): void {
  command
    .description(
      'Send a callback of your own: that of a lead and an event, changed. It shows as synthetic, is tried once, and changes no other callback.',
    )
    .argument('<lead>', 'the lead_id, or the address of its customer')
    .argument('<event>', 'the event, such as approved; its callback need not have been sent before')
    .option('--edit <name=value>', 'set a parameter of the query, such as event=unknown; repeatable', edit)
    .option('--bad-signature', 'sign it with another secret than that of the tenant')
    .option('--repeat <count>', 'how often', wholeNumber('repeat'))
    .option('--late <duration>', "how much later, on the tenant's clock", duration)
  sandboxVerb<SendFlags, [string, string]>(
    command,
    [
      'callbacks send LEAD_ID approved --repeat 2',
      'callbacks send LEAD_ID approved --edit event=unknown --bad-signature',
      'callbacks send LEAD_ID approved --late 24h',
    ],
    async ({ tenant, print }, flags, lead, event) => {
      const leadId = await leadIdOf(tenant, lead)
      const sent = await withProgress('Sending the callback', () => tenant.callbacks.send({ ...flags, leadId, event }))
      print(sent, ({ callbacks }) => callbackTable(callbacks))
    },
  )
}

/** Adds one `name=value` to those before it. */
function edit(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined) throw new InvalidArgumentError('Pass a name and a value, such as event=unknown.')
  return { ...before, [name]: value }
}

function describeRecover(command: Command): void {
  command
    .description('Resend all callbacks that failed since a time.')
    .addOption(
      new Option('--since <when>', 'a duration before now, such as 24h, or a time')
        .argParser(since)
        .makeOptionMandatory(),
    )
  sandboxVerb<{ since: string }, []>(
    command,
    ['callbacks recover --since 24h', 'callbacks recover --since 2026-01-31T00:00:00Z'],
    async ({ tenant, print }, { since }) => {
      const reply = await withProgress('Resending callbacks', () => tenant.callbacks.recover({ since }))
      print(reply, ({ callbacks }) =>
        callbacks.length === 0 ? 'No callbacks have failed since then.' : callbackTable(callbacks),
      )
    },
  )
}

/** `hold` and `release`: what is due waits, whatever the clock shows, until it is released. */
function describeHold(command: Command): void {
  sandboxVerb<unknown, []>(
    command.command('hold').description('Hold all callbacks until they are released, regardless of the clock.'),
    ['callbacks hold'],
    async ({ tenant, print }) =>
      print(
        await tenant.callbacks.hold(),
        ({ tenant }) => `The callbacks of ${tenant} are held. To send them: lead-sandbox callbacks release`,
      ),
  )
  sandboxVerb<unknown, []>(
    command.command('release').description('Release the callbacks. Those that are due are sent immediately, in order.'),
    ['callbacks release'],
    async ({ tenant, print }) =>
      print(
        await withProgress('Sending due callbacks', () => tenant.callbacks.release()),
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
    .description('Wait until a callback of a lead is delivered. Exits with 1 on timeout.')
    .requiredOption('--lead <id>', 'its lead_id, or the address of its customer')
    .option('--event <event>', 'of this event (default: any)')
    .option('--timeout <duration>', 'how long', duration, 'PT5S')
  sandboxVerb<WaitFlags, []>(
    command,
    ['callbacks wait --lead LEAD_ID --event approved --timeout 30s'],
    async ({ tenant, print }, { lead, event, timeout }) => {
      const wanted = { leadId: await leadIdOf(tenant, lead), event, timeoutMs: durationMs(timeout) }
      print(await withProgress('Waiting for the callback', () => tenant.callbacks.wait(wanted)), callbackText)
    },
  )
}

type Attempt = Callback['attempts'][number]

const holds = {
  delay: 'delayed by a fault',
  reorder: 'reordered by a fault',
  tenant: 'held by you',
  listener: 'held until a listener is connected',
} as const satisfies Record<NonNullable<Callback['held']>, string>

/** Callbacks as a table, with the result of the last attempt. */
export function callbackTable(callbacks: readonly Callback[]): string {
  const rows = callbacks.map(({ callback_id, lead_id, event, state, attempts, next_attempt_at, held, synthetic }) => [
    callback_id,
    lead_id,
    synthetic ? `${event} (synthetic)` : event,
    held === undefined ? paintValue(state) : `${paintValue(state)} (${holds[held]})`,
    attempts.length,
    outcomeOf(attempts.at(-1)),
    next_attempt_at && shortTime(next_attempt_at),
  ])
  return table(['callback', 'lead', 'event', 'state', 'tries', 'last try', 'next try (UTC)'], rows, 'No callbacks.')
}

export function callbackText(callback: Callback): string {
  const { callback_id, lead_id, event, url, state, attempts, next_attempt_at, held, synthetic } = callback
  const about = list([
    ['callback_id', callback_id],
    ['lead_id', lead_id],
    ['event', event],
    ['url', url],
    ['synthetic', synthetic && 'sent by hand, by no event'],
    ['state', held === undefined ? paintValue(state) : `${paintValue(state)}, ${holds[held]}`],
    ['next try (UTC)', next_attempt_at && shortTime(next_attempt_at)],
  ])
  const tries = attempts.map(attempt => [
    shortTime(attempt.at),
    outcomeOf(attempt),
    `${Math.round(attempt.ms)} ms`,
    attempt.fault_id,
  ])
  if (tries.length === 0) return about
  const answers = attempts.map(({ answer }, place): [string, string] => [
    `Response to try ${place + 1}`,
    answer ? contentText(answer.headers, `${answer.text}${answer.truncated ? ' … (truncated)' : ''}`) : '',
  ])
  const content = sections(['Tries', table(['at (UTC)', 'outcome', 'took', 'fault'], tries)], ...answers)
  return `${about}\n\n${content}`
}

/** The result of an attempt: the receiver's status, or why there is none. */
export function outcomeOf(attempt: Pick<Attempt, 'status' | 'error'> | undefined): string | undefined {
  if (!attempt) return undefined
  const { status, error } = attempt
  return [status === undefined ? undefined : paintStatus(status), error].filter(part => part).join(' ')
}

export function callbackLine(callback: Callback): string {
  const { callback_id, lead_id, event, state, attempts, next_attempt_at, synthetic } = callback
  const last = attempts.at(-1)
  const at = last ? shortTime(last.at) : '-'.padEnd(shortTime(new Date(0).toISOString()).length)
  const name = synthetic ? `${event} (synthetic)` : event
  const parts = [at, callback_id, `lead ${lead_id}`, name, paintValue(state), outcomeOf(last)]
  return line([...parts, next_attempt_at && `next try ${shortTime(next_attempt_at)}`])
}

export function describeInbox(command: Command): void {
  sandboxVerb<ControlInput<'showInbox'>, []>(
    command
      .command('show')
      .description('Show the callbacks that the inbox received, newest first, and the status it responds with.')
      .option('--limit <count>', 'the maximum number to list', wholeNumber('limit'))
      .option('--before <id>', 'only those older than this entry'),
    ['inbox show', 'inbox show --json --limit 1'],
    async ({ tenant, print }, flags) => print(await tenant.inbox.show(flags), inboxText),
  )
  sandboxVerb<{ times?: number }, [number]>(
    command
      .command('fail')
      .description('Make the inbox respond with this status, so that deliveries fail.')
      .argument('<status>', 'the status to respond with, such as 503', wholeNumber('status'))
      .option('--times <count>', 'how often (default: until changed)', times),
    ['inbox fail 503 --times 2'],
    async ({ tenant, print }, flags, status) => print(await tenant.inbox.change({ ...flags, status }), modeText),
  )
  sandboxVerb<unknown, []>(
    command.command('take').description('Make the inbox accept callbacks again.'),
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
    rows.length > 0 ? table(['received (UTC)', 'lead', 'event', 'response'], rows) : 'The inbox received no callbacks.'
  return `${modeText(mode)}\n\n${withNext(received, next)}`
}

function modeText({ status, times }: ControlReply<'changeInbox'>): string {
  return `The inbox responds with ${paintStatus(status)}${times === undefined ? '' : ` to the next ${times === 1 ? 'callback' : `${times} callbacks`}, then accepts them`}.`
}
