import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type LeaseName, StorageUnavailable } from '@lead-distribution/simulator'
import { type Executor, statement } from '../sql/statement.ts'
import { isTransient } from './errors.ts'
import { createTurns, databaseTime, type Reconnecting } from './session.ts'

/** A lease held by this process. Each has a unique holder number. */
interface Lease {
  name: string
  holder: number
}

/** The duration of a lease, its renewal interval, and the timeout and retry interval of acquiring one, milliseconds. */
const [leaseMs, extendMs, patienceMs, retryMs] = [5_000, 1_000, 30_000, 20]

const statements = {
  take: statement<Lease, { holder: number }>(
    `insert into leases (name, holder, until) values (:name, :holder, ${databaseTime} + ${leaseMs})
     on conflict (name) do update set holder = excluded.holder, until = excluded.until
       where leases.until < ${databaseTime} or leases.holder = excluded.holder
     returning holder`,
  ),
  extend: statement<Lease>(
    `update leases set until = ${databaseTime} + ${leaseMs} where name = :name and holder = :holder`,
  ),
  end: statement<Lease>('delete from leases where name = :name and holder = :holder'),
  /**
   * Fails the transaction if the lease was released or acquired by another process. Until the transaction ends, no one
   * else can acquire it. A lease that merely expired still belongs to its holder.
   */
  check: statement<Lease, { held: number }>(
    `select 1 / count(*) as held from (
       select from leases where name = :name and holder = :holder for share) as lease`,
  ),
}

/** Leases on tenants: rows that expire on the database's clock. Work under a lease checks it with each write. */
export function createLeases({ connected, run }: Pick<Reconnecting, 'connected' | 'run'>) {
  /** By name. */
  const held = new Map<string, Lease>()
  const turns = createTurns()

  async function take(lease: Lease): Promise<void> {
    for (const end = performance.now() + patienceMs; performance.now() < end; await wait(retryMs)) {
      try {
        const { rows } = await run(connection => connection.send(statements.take, lease))
        if (rows.length === 1) return
      } catch (error) {
        // Its holder is writing at this moment.
        if (!isTransient(error)) throw error
      }
    }
    throw new StorageUnavailable('Another process is changing the tenant. Retry the request later.')
  }

  async function runWith<Result>(lease: Lease, work: () => Promise<Result>): Promise<Result> {
    await take(lease)
    held.set(lease.name, lease)
    // A lease that is not renewed expires, which the next write detects.
    const extend = async () => (await connected()).send(statements.extend, lease)
    const extending = setInterval(() => void extend().catch(() => undefined), extendMs)
    try {
      return await work()
    } finally {
      clearInterval(extending)
      held.delete(lease.name)
      // The work is done even if this fails; the lease then expires.
      await run(connection => connection.send(statements.end, lease)).catch(() => undefined)
    }
  }

  return {
    /**
     * Fails a transaction under a lease on a tenant if this process has lost the lease. The transaction must belong to
     * the work under the lease, because unrelated work may outlast it.
     */
    check(db: Executor, tenant: string, name: LeaseName): void {
      const lease = held.get(`${tenant} ${name}`)
      if (lease) db.first(statements.check, lease).catch(() => undefined)
    },
    async exclusive<Result>(tenant: string, name: LeaseName, work: () => Promise<Result>): Promise<Result> {
      const lease = { name: `${tenant} ${name}`, holder: randomInt(2 ** 47) }
      const end = await turns.take(lease.name)
      return runWith(lease, work).finally(end)
    },
  }
}
