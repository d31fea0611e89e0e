import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type LeaseName, StorageUnavailable } from '@lead-distribution/simulator'
import { type Executor, statement } from '../sql/statement.ts'
import type { PostgresConnection } from './connection.ts'
import { isTransient } from './errors.ts'
import { createTurns, databaseTime } from './session.ts'

/** A lease that this process was given. Nobody was given the same one before. */
interface Lease {
  name: string
  holder: number
}

/** The duration of a lease, the interval of extending it, and the time and interval of asking for one, milliseconds. */
const [leaseMs, extendMs, patienceMs, retryMs] = [5_000, 1_000, 30_000, 20]

const statements = {
  take: statement<Lease, { holder: number }>(
    `insert into leases (name, holder, until) values (:name, :holder, ${databaseTime} + ${leaseMs})
     on conflict (name) do update set holder = excluded.holder, until = excluded.until
       where leases.until < ${databaseTime}
     returning holder`,
  ),
  extend: statement<Lease>(
    `update leases set until = ${databaseTime} + ${leaseMs} where name = :name and holder = :holder`,
  ),
  end: statement<Lease>('delete from leases where name = :name and holder = :holder'),
  /** Fails the transaction where the lease is lost. Until that is over, nobody else is given it. */
  check: statement<Lease, { held: number }>(
    `select 1 / count(*) as held from (
       select from leases where name = :name and holder = :holder and until >= ${databaseTime} for share) as lease`,
  ),
}

/** Leases of tenants: rows with an end by the database's clock, which the work under a lease checks with each write. */
export function createLeases(connected: () => Promise<PostgresConnection>) {
  /** By their names. */
  const held = new Map<string, Lease>()
  const turns = createTurns()

  async function take(lease: Lease): Promise<void> {
    for (const end = performance.now() + patienceMs; performance.now() < end; await wait(retryMs)) {
      try {
        if ((await (await connected()).send(statements.take, lease)).rows.length === 1) return
      } catch (error) {
        // Its holder is writing at this moment.
        if (!isTransient(error)) throw error
      }
    }
    throw new StorageUnavailable('Another process is changing the tenant. Send the request again later.')
  }

  async function runWith<Result>(lease: Lease, run: () => Promise<Result>): Promise<Result> {
    await take(lease)
    held.set(lease.name, lease)
    // One that is not extended ends, which the next write finds out.
    const extend = async () => (await connected()).send(statements.extend, lease)
    const extending = setInterval(() => void extend().catch(() => undefined), extendMs)
    try {
      return await run()
    } finally {
      clearInterval(extending)
      held.delete(lease.name)
      await (await connected()).send(statements.end, lease).catch(() => undefined)
    }
  }

  return {
    /**
     * Fails a transaction of what this process runs under a lease of a tenant, if the lease is lost. It must be of that
     * work: another one may outlast the lease.
     */
    check(db: Executor, tenant: string, name: LeaseName): void {
      const lease = held.get(`${tenant} ${name}`)
      if (lease) db.first(statements.check, lease).catch(() => undefined)
    },
    async exclusive<Result>(tenant: string, name: LeaseName, run: () => Promise<Result>): Promise<Result> {
      const lease = { name: `${tenant} ${name}`, holder: randomInt(2 ** 47) }
      const end = await turns.take(lease.name)
      return runWith(lease, run).finally(end)
    },
  }
}
