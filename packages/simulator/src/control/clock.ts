import { dateTimeMs, durationMs } from '@lead-distribution/contract'
import { dateTime, duration, uuid } from '@lead-distribution/contract/shapes'
import type { Reading } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { isHolding, type TenantRecord } from '../storage/tenant-record.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { earliestTime, latestTime } from '../time/clock.ts'
import { refuseFields } from './control-error.ts'
import { operation } from './operation.ts'
import { holdOf, iso, shownHold } from './shapes.ts'

export const clockState = z.strictObject({ mode: z.enum(['running', 'frozen']), now: dateTime })

/** A time that a clock can show, in milliseconds since 1970. */
export const clockTime = z.int().check(z.gte(earliestTime), z.lte(latestTime))

export const storedClock = z.discriminatedUnion('mode', [
  z.strictObject({
    mode: z.literal('running'),
    ahead_ms: z.number().check(z.gte(earliestTime - latestTime), z.lte(latestTime)),
  }),
  z.strictObject({ mode: z.literal('frozen'), now: clockTime }),
])

/** The body that changes the clock: one of the three. */
const clockChange = z
  .strictObject({
    freeze: z.optional(z.literal(true)),
    set: z.optional(dateTime),
    resume: z.optional(z.literal(true)),
  })
  .check(
    z.refine(
      change => Object.values(change).filter(value => value !== undefined).length === 1,
      'must contain exactly one of freeze, set and resume',
    ),
  )

/**
 * The result of an advance. `executed` counts the reports sent and the callback attempts made, in all processes;
 * postponing a callback is not an attempt. `pending` counts the remaining jobs; `held` counts those of them that are
 * callbacks on hold or waiting for the listener.
 */
const advanced = z.strictObject({ now: dateTime, executed: z.int(), pending: z.int(), held: z.optional(z.int()) })

/** The jobs scheduled on a clock: callbacks to the publisher, and events that the simulated advertisers will report. */
const agenda = z.strictObject({
  now: dateTime,
  due: z.array(
    z.strictObject({
      at: dateTime,
      type: z.enum(['callback', 'report']),
      lead_id: uuid,
      event: z.string(),
      callback_id: z.optional(uuid),
      attempts: z.optional(z.int()),
      held: z.optional(shownHold),
    }),
  ),
  /** The number of those due later. */
  more: z.int(),
})

/** The maximum number of entries in an agenda. */
const maxDue = 100

export const clockOperations = {
  showClock: operation(
    {
      title: 'Show the clock',
      description: "Returns the mode and the time of the tenant's clock.",
      methods: ['GET'],
      path: '/tenants/:tenant/clock',
      reply: clockState,
    },
    async ({ tenant }) => ({ body: clockView(tenant) }),
  ),
  showAgenda: operation(
    {
      title: 'Show the agenda',
      description:
        "Returns the jobs scheduled on the tenant's clock, earliest first: callbacks, and events that advertisers will report.",
      methods: ['GET'],
      path: '/tenants/:tenant/clock/agenda',
      reply: agenda,
    },
    async ({ tenant: { clock, storage, record } }) => ({
      body: { now: iso(clock.now()), ...(await storage.read(tables => readAgenda(tables, record))) },
    }),
  ),
  changeClock: operation(
    {
      title: 'Change the clock',
      description: 'Freezes the clock, sets it forward, or resumes it.',
      methods: ['POST'],
      path: '/tenants/:tenant/clock',
      input: clockChange,
      reply: clockState,
    },
    async ({ tenant, input }) => {
      const { clock, worker } = tenant
      if (input.freeze) await worker.freeze()
      else if (input.resume) await worker.resume()
      else if (!(await worker.set(dateTimeMs(input.set ?? ''))))
        return refuseFields({ field: 'set', issue: backwards(clock.now()) })
      return { body: clockView(tenant) }
    },
  ),
  advanceClock: operation(
    {
      title: 'Advance the clock',
      description:
        "Moves the clock forward and runs every job that falls due, in order, before it responds. If a job cannot run, it responds with an error, and the clock stops at that job's time.",
      methods: ['POST'],
      path: '/tenants/:tenant/clock/advance',
      input: z.strictObject({ by: duration }),
      reply: advanced,
    },
    async ({ tenant, input }) => {
      const { worker, clock, storage } = tenant
      const executed = await worker.advance(durationMs(input.by))
      if (executed === undefined) return refuseFields({ field: 'by', issue: `must not lead past ${iso(latestTime)}` })
      const waiting = await storage.read(async tables => {
        const pending = await countDue(tables)
        return isHolding(tenant.record) ? { pending, held: await tables.countPendingCallbacks() } : { pending }
      })
      return { body: { now: iso(clock.now()), executed, ...waiting } }
    },
  ),
}

const clockView = ({ clock }: Tenant) => ({ mode: clock.state().mode, now: iso(clock.now()) })

const backwards = (now: number) =>
  `must be a time from ${iso(now)}, the tenant's current time, to ${iso(latestTime)}; to go back, restore a snapshot`

async function readAgenda(tables: Reading<SandboxTables>, tenant: TenantRecord) {
  const callbacks = (await tables.listPendingCallbacks(maxDue)).map(callback => {
    const { due_at = 0, lead_id, event, callback_id, attempts } = callback
    const held = holdOf(callback, tenant)
    return {
      time: due_at,
      type: 'callback' as const,
      lead_id,
      event,
      callback_id,
      attempts: attempts.length,
      ...(held && { held }),
    }
  })
  const reports = (await tables.listDueReports(Number.MAX_SAFE_INTEGER, maxDue)).map(({ due_at, lead_id, event }) => ({
    time: due_at,
    type: 'report' as const,
    lead_id,
    event,
  }))
  const due = [...callbacks, ...reports].sort((one, other) => one.time - other.time).slice(0, maxDue)
  return {
    due: due.map(({ time, ...entry }) => ({ at: iso(time), ...entry })),
    more: (await countDue(tables)) - due.length,
  }
}

async function countDue(tables: Reading<SandboxTables>): Promise<number> {
  return (await tables.countPendingCallbacks()) + (await tables.countReports())
}
