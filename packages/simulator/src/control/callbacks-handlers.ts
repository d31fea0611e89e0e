import { canonicalEvent } from '@lead-distribution/contract'
import { durationMs, isDuration } from '@lead-distribution/engine'
import { takingInbox } from '../callbacks/inbox.ts'
import type { CallbackHold, NumberedInboxEntry, SandboxCallback } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { maxCallbackWaits, tooManyAtOnce } from '../tenants/waiting-calls.ts'
import type { callbackOperations } from './callbacks.ts'
import { type ControlContext, type ControlHandlers, iso, onTenants } from './context.ts'
import { controlError, noSuch, refuseFields } from './control-error.ts'
import { readPage } from './operation-defaults.ts'

/** How long a wait lasts by default, milliseconds. */
const defaultWaitMs = 5_000

/** How many callbacks are looked at in one transaction. */
const batch = 500

const timeIsUp = controlError(
  'not_found',
  'No such callback was delivered in time. GET …/callbacks shows the state of each; a frozen clock must be advanced, callbacks that are held must be released.',
)

const tooManyWaits = tooManyAtOnce(
  `${maxCallbackWaits} calls wait for a callback of this tenant already. Wait for fewer at once, or list the callbacks instead.`,
)

/** The handlers of the operations on callbacks and on the inbox. */
export function callbackHandlers(context: ControlContext): ControlHandlers<typeof callbackOperations> {
  const onTenant = onTenants(context)

  return {
    listCallbacks: onTenant(async ({ storage, record }, { input }) => {
      const { limit, state, lead_id, before } = input
      const filter = { state, lead_id: lead_id?.toLowerCase() }
      const { entries, ...next } = await readPage({
        limit,
        before: before?.toLowerCase(),
        read: page => storage.transact(tables => tables.listAllCallbacks({ ...filter, ...page })),
        show: callback => callbackView(callback, record),
        idOf: ({ callback_id }) => callback_id,
      })
      return { body: { callbacks: entries, ...next } }
    }),
    waitForCallback: onTenant(async ({ storage, progress, waits }, { input, wait }) => {
      const { event, timeout_ms = defaultWaitMs } = input
      const lead_id = input.lead_id.toLowerCase()
      if (!(await storage.transact(tables => tables.findLead(lead_id)))) return noSuch('lead')
      const isWanted = (callback: SandboxCallback) =>
        callback.state === 'delivered' &&
        (event === undefined || canonicalEvent(callback.event) === canonicalEvent(event))
      const look = () => storage.transact(async tables => (await tables.listCallbacks(lead_id)).find(isWanted))
      const waiting = waits.callbacks.run(wait, gone => progress.waitFor(look, timeout_ms, gone))
      if (!waiting) return tooManyWaits
      const delivered = await waiting
      return delivered ? { body: callbackView(delivered, {}) } : timeIsUp
    }),
    recoverCallbacks: onTenant(async (tenant, { input }) => {
      const since = isDuration(input.since) ? tenant.clock.now() - durationMs(input.since) : Date.parse(input.since)
      if (Number.isNaN(since)) return refuseFields({ field: 'since', issue: 'must be a time that exists' })
      const ids = await requeueFailed(tenant, since)
      await tenant.scheduler.settle()
      const callbacks = await tenant.storage.transact(tables => findAll(tables, ids))
      return { body: { since: iso(since), callbacks: callbacks.map(each => callbackView(each, tenant.record)) } }
    }),
    showCallback: onTenant(async ({ storage, record }, { params }) => {
      const callback = await storage.transact(tables => tables.findCallback(params.callback_id.toLowerCase()))
      return callback ? { body: callbackView(callback, record) } : noSuch('callback')
    }),
    resendCallback: onTenant(async ({ storage, clock, scheduler, record }, { params }) => {
      const id = params.callback_id.toLowerCase()
      const find = () => storage.transact(tables => tables.findCallback(id))
      if (!(await find())) return noSuch('callback')
      // A try that is under way ends first: its result would undo this one.
      await scheduler.settle()
      await storage.transact(tables => tables.requeueCallback(id, clock.now()))
      await scheduler.settle()
      const sent = await find()
      return sent ? { body: callbackView(sent, record) } : noSuch('callback')
    }),
    showInbox: onTenant(async ({ inbox }, { input }) => {
      const { limit, before } = input
      const { entries, ...next } = await readPage({
        limit,
        before,
        read: page =>
          inbox.list({ ...page, before: page.before === undefined ? undefined : Number(page.before.slice(1)) }),
        show: inboxView,
        idOf: entryId,
      })
      return { body: { ...inbox.mode(), callbacks: entries, ...next } }
    }),
    changeInbox: onTenant(({ inbox, lock }, { input }) =>
      lock.shared(async () => {
        await inbox.setMode(input.times === 0 ? takingInbox : input)
        return { body: inbox.mode() }
      }),
    ),
  }
}

const entryId = ({ number }: NumberedInboxEntry) => `i${number}`

function inboxView({ number, received_at, ...entry }: NumberedInboxEntry) {
  return { entry_id: `i${number}`, received_at: iso(received_at), ...entry }
}

/** A callback as the control plane shows it. One that its tenant holds has no time of a next attempt. */
export function callbackView(stored: SandboxCallback, tenant: Pick<TenantRecord, 'callbacks_held'>) {
  const { due_at, resent_after: _, attempts, held: _byFault, ...callback } = stored
  const held = holdOf(stored, tenant)
  const isDue = callback.state === 'pending' && held !== 'tenant'
  return {
    ...callback,
    attempts: attempts.map(attempt => ({ ...attempt, at: iso(attempt.at) })),
    ...(isDue && due_at !== undefined && { next_attempt_at: iso(due_at) }),
    ...(held && { held }),
  }
}

/** Why a callback is not sent when it is due; undefined where it is. */
export function holdOf(
  { state, held }: Pick<SandboxCallback, 'state' | 'held'>,
  { callbacks_held }: Pick<TenantRecord, 'callbacks_held'>,
): CallbackHold | 'tenant' | undefined {
  return callbacks_held && state === 'pending' ? 'tenant' : held
}

/** Makes every failed callback due again whose last try was at or after a time; returns their ids, oldest first. */
async function requeueFailed({ storage, clock }: Tenant, since: number): Promise<string[]> {
  const ids: string[] = []
  for (let before: string | undefined; ; ) {
    const found = await storage.transact(tables => tables.listAllCallbacks({ state: 'failed', before, limit: batch }))
    const late = found.filter(({ attempts }) => (attempts.at(-1)?.at ?? 0) >= since)
    await storage.transact(async tables => {
      for (const { callback_id } of late) await tables.requeueCallback(callback_id, clock.now())
    })
    ids.push(...late.map(({ callback_id }) => callback_id))
    before = found.at(-1)?.callback_id
    if (found.length < batch) return ids.reverse()
  }
}

async function findAll(tables: SandboxTables, ids: readonly string[]): Promise<SandboxCallback[]> {
  const callbacks: SandboxCallback[] = []
  for (const id of ids) {
    const callback = await tables.findCallback(id)
    if (callback) callbacks.push(callback)
  }
  return callbacks
}
