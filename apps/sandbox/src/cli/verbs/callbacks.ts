import { canonicalUuid, durationMs } from '@lead-distribution/contract'
import type { Callback, SandboxEvent } from '@lead-distribution/control-client'
import type { ControlReply } from '@lead-distribution/simulator'
import { bounds } from '@lead-distribution/simulator/bounds'
import { InvalidArgumentError } from 'commander'
import { argument, byDefault, flag, oneOf, onOff, required } from '../flags.ts'
import {
  contentText,
  line,
  list,
  paintStatus,
  paintValue,
  sections,
  shortTime,
  table,
  time,
  withNext,
} from '../printing.ts'
import { group, leadIdOf, verb } from '../run-verb.ts'
import { followFlags, tail } from '../tail.ts'
import { duration, since, wholeNumber } from '../values.ts'

const ofLead = flag('<id>', "only those of this lead: its lead_id, or its customer's address")

const callbackId = argument('<id>', 'its callback_id')

const limit = flag('<count>', 'the maximum number to list', wholeNumber('limit'))

export const callbacks = group({
  list: verb({
    does: 'List callbacks, newest first.',
    takes: {
      lead: ofLead,
      state: oneOf(flag('<state>', 'only those'), ['pending', 'delivered', 'failed']),
      limit,
      before: flag('<id>', 'only those older than this callback'),
    },
    examples: ['--state failed'],
    call: async ({ tenant }, { lead, ...filter }) =>
      tenant.callbacks.list({ ...filter, leadId: lead && (await leadIdOf(tenant, lead)) }),
    text: ({ callbacks, next }) => withNext(callbackTable(callbacks), next),
  }),
  tail: verb({
    does: 'Follow callbacks, attempt by attempt, until Ctrl-C.',
    takes: { lead: ofLead, ...followFlags },
    examples: ['', '--follow --json | jq .state'],
    async call({ tenant, print }, { lead, follow }) {
      const leadId = lead && canonicalUuid(await leadIdOf(tenant, lead))
      const callbacks = {
        list: async (limit: number) => (await tenant.callbacks.list({ leadId, limit })).callbacks,
        entryOf: (event: SandboxEvent) =>
          event.type === 'callback' && [undefined, event.callback.lead_id].includes(leadId)
            ? event.callback
            : undefined,
        keyOf: ({ callback_id, state, attempts }: Callback) =>
          [callback_id, state, attempts.length, attempts.at(-1)?.at].join(' '),
        print: (callback: Callback) => print(callback, callbackLine),
      }
      await tail(tenant, callbacks, { first: bounds.limit.max, follow })
    },
  }),
  show: verb({
    does: 'Show a callback with all its attempts.',
    takes: { callbackId },
    examples: ['CALLBACK_ID'],
    call: ({ tenant }, { callbackId }) => tenant.callbacks.show(callbackId),
    text: callbackText,
  }),
  resend: verb({
    does: 'Resend a callback, whatever its state.',
    takes: { callbackId },
    examples: ['CALLBACK_ID'],
    call: ({ tenant }, { callbackId }) => tenant.callbacks.resend(callbackId),
    text: callbackText,
  }),
  send: verb({
    does: 'Send a modified callback for a lead and an event. It is marked as synthetic, is attempted once, and affects no other callback.',
    takes: {
      lead: argument('<lead>', "the lead_id, or its customer's address"),
      event: argument('<event>', 'the event, such as approved; its callback need not have been sent before'),
      edit: flag('<name=value>', 'set a query parameter, such as event=unknown; repeatable', edit),
      badSignature: onOff('sign it with a wrong secret'),
      repeat: flag('<count>', 'how many times', wholeNumber('repeat')),
      late: flag('<duration>', "how much later, on the tenant's clock", duration),
    },
    examples: [
      'LEAD_ID approved --repeat 2',
      'LEAD_ID approved --edit event=unknown --bad-signature',
      'LEAD_ID approved --late 24h',
    ],
    progress: 'Sending the callback',
    call: async ({ tenant }, { lead, ...callback }) =>
      tenant.callbacks.send({ ...callback, leadId: await leadIdOf(tenant, lead) }),
    text: ({ callbacks }) => callbackTable(callbacks),
  }),
  recover: verb({
    does: 'Resend all callbacks that failed since a time.',
    takes: { since: required(flag('<when>', 'a duration before now, such as 24h, or a time', since)) },
    examples: ['--since 24h', '--since 2026-01-31T00:00:00Z'],
    progress: 'Resending callbacks',
    call: ({ tenant }, { since }) => tenant.callbacks.recover({ since }),
    text: ({ callbacks }) => callbackTable(callbacks, 'No callbacks have failed since then.'),
  }),
  hold: verb({
    does: 'Hold all callbacks until they are released, regardless of the clock.',
    call: ({ tenant }) => tenant.callbacks.hold(),
    text: ({ tenant }) => `The callbacks of ${tenant} are held. To send them: lead-sandbox callbacks release`,
  }),
  release: verb({
    does: 'Release the callbacks. Those that are due are sent immediately, in order.',
    progress: 'Sending due callbacks',
    call: ({ tenant }) => tenant.callbacks.release(),
    text: ({ tenant }) => `The callbacks of ${tenant} are released; the due ones have been sent.`,
  }),
  wait: verb({
    does: "Wait until a lead's callback is delivered. Exits with 1 on timeout.",
    takes: {
      lead: required(flag('<id>', "its lead_id, or its customer's address")),
      event: flag('<event>', 'for this event (default: any)'),
      timeout: byDefault(flag('<duration>', 'how long', duration), 'PT5S'),
    },
    examples: ['--lead LEAD_ID --event approved --timeout 30s'],
    progress: 'Waiting for the callback',
    call: async ({ tenant }, { lead, event, timeout }) =>
      tenant.callbacks.wait({ leadId: await leadIdOf(tenant, lead), event, timeoutMs: durationMs(timeout) }),
    text: callbackText,
  }),
})

export const inbox = group({
  show: verb({
    does: 'Show the callbacks that the inbox received, newest first, and the status with which it responds.',
    takes: { limit, before: flag('<id>', 'only those older than this entry') },
    examples: ['', '--json --limit 1'],
    call: ({ tenant }, input) => tenant.inbox.show(input),
    text: inboxText,
  }),
  fail: verb({
    does: 'Make the inbox respond with this status, so that deliveries fail.',
    takes: {
      status: argument('<status>', 'the status, such as 503', wholeNumber('status')),
      times: flag('<count>', 'how many times (default: until changed)', wholeNumber('times', 1)),
    },
    examples: ['503 --times 2'],
    call: ({ tenant }, input) => tenant.inbox.change(input),
    text: modeText,
  }),
  take: verb({
    does: 'Make the inbox accept callbacks again.',
    call: ({ tenant }) => tenant.inbox.change({ status: 200 }),
    text: modeText,
  }),
})

/** Adds a `name=value` pair to the previous ones. */
function edit(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined) throw new InvalidArgumentError('Pass a name and a value, such as event=unknown.')
  return { ...before, [name]: value }
}

type Attempt = Callback['attempts'][number]

const holds = {
  delay: 'delayed by a fault',
  reorder: 'reordered by a fault',
  tenant: 'held by you',
  listener: 'held until a listener is connected',
} as const satisfies Record<NonNullable<Callback['held']>, string>

/** Formats callbacks as a table, with the result of the last attempt. */
export function callbackTable(callbacks: readonly Callback[], none = 'No callbacks.'): string {
  return (
    table(callbacks, {
      callback: 'callback_id',
      lead: 'lead_id',
      event: eventText,
      state: ({ state, held }) => (held ? `${paintValue(state)} (${holds[held]})` : paintValue(state)),
      attempts: ({ attempts }) => attempts.length,
      'last attempt': ({ attempts }) => outcomeOf(attempts.at(-1)),
      'next attempt (UTC)': ({ next_attempt_at }) => next_attempt_at && shortTime(next_attempt_at),
    }) || none
  )
}

const eventText = ({ event, synthetic }: Callback) => (synthetic ? `${event} (synthetic)` : event)

function callbackText(callback: Callback): string {
  const { callback_id, lead_id, event, url, state, attempts, next_attempt_at, held, synthetic } = callback
  const about = list([
    ['callback_id', callback_id],
    ['lead_id', lead_id],
    ['event', event],
    ['url', url],
    ['synthetic', synthetic && 'sent by hand, not caused by an event'],
    ['state', held === undefined ? paintValue(state) : `${paintValue(state)}, ${holds[held]}`],
    ['next attempt (UTC)', next_attempt_at && shortTime(next_attempt_at)],
  ])
  if (attempts.length === 0) return about
  const attemptTable = table(attempts, {
    'at (UTC)': time('at'),
    outcome: outcomeOf,
    took: ({ ms }) => `${Math.round(ms)} ms`,
    fault: 'fault_id',
  })
  const answers = attempts.map(({ answer }, place): [string, string] => [
    `Response to attempt ${place + 1}`,
    answer ? contentText(answer.headers, `${answer.text}${answer.truncated ? ' … (truncated)' : ''}`) : '',
  ])
  return `${about}\n\n${sections(['Attempts', attemptTable], ...answers)}`
}

/** Returns the result of an attempt: the receiver's status, or the reason why there is none. */
export function outcomeOf(attempt: Pick<Attempt, 'status' | 'error'> | undefined): string | undefined {
  if (!attempt) return undefined
  const { status, error } = attempt
  return [status === undefined ? undefined : paintStatus(status), error].filter(part => part).join(' ')
}

function callbackLine(callback: Callback): string {
  const { callback_id, lead_id, state, attempts, next_attempt_at } = callback
  const last = attempts.at(-1)
  const at = last ? shortTime(last.at) : '-'.padEnd(shortTime(new Date(0).toISOString()).length)
  const parts = [at, callback_id, `lead ${lead_id}`, eventText(callback), paintValue(state), outcomeOf(last)]
  return line([...parts, next_attempt_at && `next attempt ${shortTime(next_attempt_at)}`])
}

function inboxText({ callbacks, next, ...mode }: ControlReply<'showInbox'>): string {
  const received =
    table(callbacks, {
      'received (UTC)': time('received_at'),
      lead: 'lead_id',
      event: 'event',
      response: ({ status }) => paintStatus(status),
    }) || 'The inbox received no callbacks.'
  return `${modeText(mode)}\n\n${withNext(received, next)}`
}

function modeText({ status, times }: ControlReply<'changeInbox'>): string {
  return `The inbox responds with ${paintStatus(status)}${times === undefined ? '' : ` to the next ${times === 1 ? 'callback' : `${times} callbacks`}, then accepts them`}.`
}
