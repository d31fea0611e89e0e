import { canonicalEvent } from '@lead-distribution/contract'
import { durationMs, isDuration } from '@lead-distribution/engine'
import { takingInbox } from '../../callbacks/inbox.ts'
import type { SandboxCallback } from '../../storage/records.ts'
import type { SandboxTables } from '../../storage/sandbox-storage.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { type ControlCalls, type ControlContext, done, iso, onOpenTenants, onTenants } from '../context.ts'
import { controlError, noSuch, readInput, readQuery, refuseFields } from '../control-error.ts'
import { defaultLimit, page } from '../paging.ts'
import { callbackQuery, recovery, waitQuery } from './callback.shape.ts'
import type { callbackOperations } from './callback-operations.ts'
import { callbackView } from './callback-view.ts'
import { inboxChange } from './inbox.shape.ts'

/** How long somebody waits who does not say, milliseconds. */
const defaultWaitMs = 5_000

/** How many callbacks are looked at in one transaction. */
const batch = 500

const timeIsUp = controlError(
  404,
  'not_found',
  'No such callback was delivered in time. GET …/callbacks shows what became of it; a clock that stands still must be advanced.',
)

/** What the operations on callbacks do. */
export function callbackCalls(context: ControlContext): ControlCalls<typeof callbackOperations> {
  const onTenant = onTenants(context)
  const idOf = ({ callback_id }: SandboxCallback) => callback_id

  return {
    listCallbacks: onTenant(async ({ storage }, { query }) => {
      const { value, refused } = readQuery(callbackQuery, query)
      if (refused) return refused
      const { limit = defaultLimit, state, lead_id, before } = value
      const filter = { state, lead_id: lead_id?.toLowerCase(), before: before?.toLowerCase(), limit: limit + 1 }
      const found = await storage.transact(tables => tables.listAllCallbacks(filter))
      const { entries, next } = page(found, limit, idOf)
      return done({ callbacks: entries.map(callbackView), ...next })
    }),
    waitForCallback: onTenant(async ({ storage, progress }, { query }) => {
      const { value, refused } = readQuery(waitQuery, query)
      if (refused) return refused
      const { event, timeout_ms = defaultWaitMs } = value
      const lead_id = value.lead_id.toLowerCase()
      if (!(await storage.transact(tables => tables.findLead(lead_id)))) return noSuch('lead')
      const isWanted = (callback: SandboxCallback) =>
        callback.state === 'delivered' &&
        (event === undefined || canonicalEvent(callback.event) === canonicalEvent(event))
      const look = () => storage.transact(async tables => (await tables.listCallbacks(lead_id)).find(isWanted))
      const delivered = await progress.waitFor(look, timeout_ms)
      return delivered ? done(callbackView(delivered)) : timeIsUp
    }),
    recoverCallbacks: onTenant(async (tenant, { body }) => {
      const { value, refused } = readInput(recovery, body)
      if (refused) return refused
      const since = isDuration(value.since) ? tenant.clock.now() - durationMs(value.since) : Date.parse(value.since)
      if (Number.isNaN(since)) return refuseFields({ field: 'since', issue: 'must be a time that exists' })
      const ids = await requeueFailed(tenant, since)
      await tenant.scheduler.settle()
      const callbacks = await tenant.storage.transact(tables => findAll(tables, ids))
      return done({ since: iso(since), callbacks: callbacks.map(callbackView) })
    }),
    showCallback: onTenant(async ({ storage }, { params: { callback_id = '' } }) => {
      const callback = await storage.transact(tables => tables.findCallback(callback_id.toLowerCase()))
      return callback ? done(callbackView(callback)) : noSuch('callback')
    }),
    resendCallback: onTenant(async ({ storage, clock, scheduler }, { params: { callback_id = '' } }) => {
      const id = callback_id.toLowerCase()
      const find = () => storage.transact(tables => tables.findCallback(id))
      if (!(await find())) return noSuch('callback')
      // A try that is under way ends first: how it ends would undo what is asked for here.
      await scheduler.settle()
      await storage.transact(tables => tables.requeueCallback(id, clock.now()))
      await scheduler.settle()
      const sent = await find()
      return sent ? done(callbackView(sent)) : noSuch('callback')
    }),
    showInbox: onTenant(async ({ inbox }) => {
      const entries = await inbox.list()
      return done({
        ...inbox.mode(),
        callbacks: entries.map(entry => ({ ...entry, received_at: iso(entry.received_at) })),
      })
    }),
    changeInbox: onOpenTenants(context)(async ({ inbox }, { body }) => {
      const { value, refused } = readInput(inboxChange, body)
      if (refused) return refused
      await inbox.setMode(value.times === 0 ? takingInbox : value)
      return done(inbox.mode())
    }),
  }
}

/** Makes every failed callback whose last try was at or after a time due again; answers their ids, oldest first. */
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
