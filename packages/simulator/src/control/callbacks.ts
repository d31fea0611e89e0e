import { callbackUrl, canonicalEvent, durationMs, maxStatusLength } from '@lead-distribution/contract'
import { dateTime, duration, uuid } from '@lead-distribution/contract/shapes'
import { callbackEventName, type Reading } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { editUrl } from '../callbacks/deliver.ts'
import { acceptingInbox } from '../callbacks/inbox.ts'
import { originHeader, readOrigin } from '../origin.ts'
import type { NumberedInboxEntry, SandboxCallback } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { maxCallbackWaits, tooManyAtOnce } from '../tenants/waiting-requests.ts'
import { latestDueTime } from '../time/clock.ts'
import { controlError, noSuch, refuseFields } from './control-error.ts'
import { operation } from './operation.ts'
import { includesEmail, readPage, withEmails } from './paging.ts'
import {
  callback,
  callbackDetails,
  callbackState,
  callbackView,
  inboxMode,
  iso,
  pastTime,
  readPastTime,
  timeThatExists,
  wholeNumber,
} from './shapes.ts'

const editName = z.string().check(z.minLength(1), z.maxLength(100))

/** The differences between a synthetic callback and the one that it copies. */
export const callbackChanges = z.strictObject({
  /** Parameters of the query, by name. */
  edit: z.optional(
    z
      .record(editName, z.string().check(z.maxLength(500)))
      .check(z.refine(edit => Object.keys(edit).length <= 20, 'must not be more than 20 parameters')),
  ),
  bad_signature: z.optional(z.boolean()),
})

const newCallback = z.extend(callbackChanges, {
  lead_id: uuid,
  event: z.string().check(z.minLength(1), z.maxLength(maxStatusLength)),
  repeat: z.optional(wholeNumber('repeat')),
  late: z.optional(duration),
})

const callbackQuery = z.strictObject({
  lead_id: z.optional(uuid),
  state: z.optional(callbackState),
  include: includesEmail,
  limit: z.optional(wholeNumber('limit')),
  before: z.optional(uuid),
})

const waitQuery = z.strictObject({
  lead_id: uuid,
  event: z.optional(z.string().check(z.minLength(1))),
  timeout_ms: z.optional(wholeNumber('timeout_ms')),
})

const recovery = z.strictObject({ since: pastTime })

const entryId = z.string().check(z.regex(/^i\d{1,15}$/, 'must be an entry_id of the inbox, such as i42'))

const inboxQuery = z.strictObject({ limit: z.optional(wholeNumber('limit')), before: z.optional(entryId) })

const inboxEntry = z.strictObject({
  entry_id: entryId,
  received_at: dateTime,
  lead_id: z.string(),
  event: z.string(),
  target: z.string(),
  headers: z.record(z.string(), z.string()),
  status: z.int(),
})

const notSigned = refuseFields({
  field: 'bad_signature',
  issue: 'needs a tenant whose callbacks are signed; set callback_signature to standard_webhooks first',
})

/** The default duration of a wait, in milliseconds. */
const defaultWaitMs = 5_000

const timeIsUp = controlError(
  'not_found',
  'No such callback was delivered in time. To see the state of each, GET …/callbacks. If the clock is frozen, advance it; if callbacks are held, release them.',
)

const tooManyWaits = tooManyAtOnce(
  `${maxCallbackWaits} requests are already waiting for a callback of this tenant. Use fewer at a time, or list the callbacks instead.`,
)

export const callbackOperations = {
  listCallbacks: operation(
    {
      title: 'List callbacks',
      description: "Returns callbacks, newest first. With `include=email`, each has its customer's e-mail address.",
      methods: ['GET'],
      path: '/tenants/:tenant/callbacks',
      input: callbackQuery,
      reply: z.strictObject({
        callbacks: z.array(z.extend(callback, { email: z.optional(z.string()) })),
        next: z.optional(z.string()),
      }),
    },
    async ({ tenant: { storage, record }, input }) => {
      const { limit, state, lead_id, before, include } = input
      const { entries, ...next } = await readPage({
        limit,
        before,
        read: page => storage.read(tables => tables.listAllCallbacks({ state, lead_id, ...page })),
        show: callback => callbackView(callback, record),
        idOf: ({ callback_id }) => callback_id,
      })
      return { body: { callbacks: include ? await withEmails(storage, entries) : entries, ...next } }
    },
  ),
  waitForCallback: operation(
    {
      title: 'Wait for a callback',
      description: 'Responds as soon as a callback of the lead is delivered, or with `404` after the timeout.',
      methods: ['GET'],
      path: '/tenants/:tenant/callbacks/wait',
      input: waitQuery,
      reply: callback,
      errors: ['too_many_requests'],
    },
    async ({ tenant: { storage, progress, waits }, input, wait }) => {
      const { lead_id, event, timeout_ms = defaultWaitMs } = input
      if (!(await storage.read(tables => tables.findLead(lead_id)))) return noSuch('lead')
      const isWanted = (callback: SandboxCallback) =>
        callback.state === 'delivered' &&
        !callback.synthetic &&
        (event === undefined || canonicalEvent(callback.event) === canonicalEvent(event))
      const findDelivered = () => storage.read(async tables => (await tables.listCallbacks(lead_id)).find(isWanted))
      const waiting = waits.callbacks.run(wait, gone => progress.waitFor(findDelivered, timeout_ms, gone))
      if (!waiting) return tooManyWaits
      const delivered = await waiting
      return delivered ? { body: callbackDetails(delivered, {}) } : timeIsUp
    },
  ),
  recoverCallbacks: operation(
    {
      title: 'Resend failed callbacks',
      description: 'Resends all callbacks that failed since the given time.',
      methods: ['POST'],
      path: '/tenants/:tenant/callbacks/recover',
      input: recovery,
      reply: z.strictObject({ since: dateTime, callbacks: z.array(callback) }),
    },
    async ({ tenant, input }) => {
      const since = readPastTime(tenant, input.since)
      if (Number.isNaN(since)) return refuseFields({ field: 'since', issue: timeThatExists })
      const ids = await requeue(tenant, since, 'failed')
      await tenant.worker.settle()
      const callbacks = await tenant.storage.read(tables => findAll(tables, ids))
      return { body: { since: iso(since), callbacks: callbacks.map(each => callbackView(each, tenant.record)) } }
    },
  ),
  sendCallback: operation(
    {
      title: 'Send a synthetic callback',
      description:
        'Sends the callback for a lead and an event, with the requested changes, even if no such callback was recorded. It is marked as synthetic, attempted once, and does not affect other callbacks. Faults do not act on it.',
      methods: ['POST'],
      path: '/tenants/:tenant/callbacks',
      input: newCallback,
      status: 201,
      reply: z.strictObject({ callbacks: z.array(callback) }),
    },
    async ({ tenant, input, headers }) => {
      const { lead_id, event, repeat = 1, late = 'PT0S', edit, bad_signature } = input
      const { account, clock, storage, worker, record } = tenant
      const { callback_signature, callback_event_names } = account.settings
      if (bad_signature && callback_signature === 'none') return notSigned
      const due_at = clock.now() + durationMs(late)
      if (due_at > latestDueTime)
        return refuseFields({ field: 'late', issue: `must not lead past ${iso(latestDueTime)}` })
      const found = await storage.read(async tables => ({
        lead: await tables.findLead(lead_id),
        callbacks: await tables.listCallbacks(lead_id),
      }))
      if (!found.lead) return noSuch('lead')
      const copied = found.callbacks.findLast(
        each => !each.synthetic && canonicalEvent(each.event) === canonicalEvent(event),
      )
      const name = copied?.event ?? callbackEventName(event, callback_event_names)
      const synthetic = { copy_of: copied?.callback_id, edit, bad_signature }
      const url = editUrl(callbackUrl(account.publisher.callback_url, lead_id, name), synthetic)
      const ids: string[] = []
      for (let nth = 0; nth < repeat; nth++) {
        const callback_id = await (tenant.sharedPorts?.('callback') ?? tenant.ports).ids.callback()
        const added = {
          callback_id,
          lead_id,
          event: name,
          url,
          state: 'pending' as const,
          attempts: [],
          due_at,
          synthetic,
          origin: readOrigin(headers[originHeader]).tool,
        }
        await storage.transact(tables => tables.addCallback(added))
        ids.push(callback_id)
      }
      await worker.settle()
      const callbacks = await storage.read(tables => findAll(tables, ids))
      return { body: { callbacks: callbacks.map(each => callbackView(each, record)) } }
    },
  ),
  showCallback: operation(
    {
      title: 'Show a callback',
      description: "Returns the callback with all its attempts and the receiver's response to each.",
      methods: ['GET'],
      path: '/tenants/:tenant/callbacks/:callback_id',
      reply: callback,
    },
    async ({ tenant: { storage, record }, params }) => {
      const callback = await storage.read(tables => tables.findCallback(params.callback_id))
      return callback ? { body: callbackDetails(callback, record) } : noSuch('callback')
    },
  ),
  resendCallback: operation(
    {
      title: 'Resend a callback',
      description:
        'Resends the callback in any state, with all its retries. While callbacks are held, it waits with them.',
      methods: ['POST'],
      path: '/tenants/:tenant/callbacks/:callback_id/resend',
      reply: callback,
    },
    async ({ tenant: { storage, clock, worker, record }, params }) => {
      const id = params.callback_id
      const find = () => storage.read(tables => tables.findCallback(id))
      if (!(await find())) return noSuch('callback')
      // Let an attempt in flight end first: its result would overwrite this change.
      await worker.settle()
      await storage.transact(tables => tables.requeueCallback(id, clock.now()))
      await worker.settle()
      const sent = await find()
      return sent ? { body: callbackDetails(sent, record) } : noSuch('callback')
    },
  ),
  showInbox: operation(
    {
      title: 'Show the inbox',
      description:
        "Returns the callbacks that the tenant's inbox received, newest first, and the status it responds with.",
      methods: ['GET'],
      path: '/tenants/:tenant/inbox',
      input: inboxQuery,
      reply: z.extend(inboxMode, { callbacks: z.array(inboxEntry), next: z.optional(z.string()) }),
    },
    async ({ tenant: { inbox }, input: { limit, before } }) => {
      const { entries, ...next } = await readPage({
        limit,
        before,
        read: page =>
          inbox.list({ ...page, before: page.before === undefined ? undefined : Number(page.before.slice(1)) }),
        show: inboxView,
        idOf: entry => inboxView(entry).entry_id,
      })
      return { body: { ...inbox.mode(), callbacks: entries, ...next } }
    },
  ),
  changeInbox: operation(
    {
      title: 'Change the inbox',
      description: 'Changes how the inbox responds, for example to make deliveries fail.',
      methods: ['PATCH'],
      path: '/tenants/:tenant/inbox',
      input: inboxMode,
      reply: inboxMode,
    },
    ({ tenant: { inbox, lock }, input }) =>
      lock.shared(async () => {
        await inbox.setMode(input.times === 0 ? acceptingInbox : input)
        return { body: inbox.mode() }
      }),
  ),
}

function inboxView({ number, received_at, ...entry }: NumberedInboxEntry) {
  return { entry_id: `i${number}`, received_at: iso(received_at), ...entry }
}

/** The number of callbacks that one transaction reads. */
const batch = 500

/** Requeues callbacks that failed since a time, optionally also delivered ones. Returns their ids, oldest first. */
export async function requeue({ storage, clock }: Tenant, since: number, state?: 'failed'): Promise<string[]> {
  const ids: string[] = []
  for (let before: string | undefined; ; ) {
    const found = await storage.read(tables => tables.listAllCallbacks({ state, before, limit: batch }))
    const late = found.filter(
      ({ state, attempts, synthetic }) => state !== 'pending' && !synthetic && (attempts.at(-1)?.at ?? 0) >= since,
    )
    await storage.transact(async tables => {
      for (const { callback_id } of late) await tables.requeueCallback(callback_id, clock.now())
    })
    ids.push(...late.map(({ callback_id }) => callback_id))
    before = found.at(-1)?.callback_id
    if (found.length < batch) return ids.reverse()
  }
}

async function findAll(tables: Reading<SandboxTables>, ids: readonly string[]): Promise<SandboxCallback[]> {
  const callbacks: SandboxCallback[] = []
  for (const id of ids) {
    const callback = await tables.findCallback(id)
    if (callback) callbacks.push(callback)
  }
  return callbacks
}
