import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type LeaseName, StorageUnavailable } from '@lead-distribution/simulator'
import { type Executor, statement } from '../sql/statement.ts'
import { isTransient } from './errors.ts'
import { createTurns, databaseTime, type Reconnecting } from './session.ts'

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
       where leases.until < ${databaseTime} or leases.holder = excluded.holder
     returning holder`,
  ),
  extend: statement<Lease>(
    `update leases set until = ${databaseTime} + ${leaseMs} where name = :name and holder = :holder`,
  ),
  end: statement<Lease>('delete from leases where name = :name and holder = :holder'),
  /**
   * Fails the transaction if the lease was given to another process, or ended. Until that is over, nobody else is given it. One
   * that is merely late to be extended is still its holder's.
   */
  check: statement<Lease, { held: number }>(
    `select 1 / count(*) as held from (
       select from leases where name = :name and holder = :holder for share) as lease`,
  ),
}

/** Leases of tenants: rows with an end by the database's clock, which the work under a lease checks with each write. */
export function createLeases({ connected, run }: Pick<Reconnecting, 'connected' | 'run'>) {
  /** By their names. */
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
    throw new StorageUnavailable('Another process is changing the tenant. Send the request again later.')
  }

  async function runWith<Result>(lease: Lease, work: () => Promise<Result>): Promise<Result> {
    await take(lease)
    held.set(lease.name, lease)
    // One that is not extended ends, which the next write finds out.
    const extend = async () => (await connected()).send(statements.extend, lease)
    const extending = setInterval(() => void extend().catch(() => undefined), extendMs)
    try {
      return await work()
    } finally {
      clearInterval(extending)
      held.delete(lease.name)
      // What was done is done, also if this fails: then the lease ends by itself.
      await run(connection => connection.send(statements.end, lease)).catch(() => undefined)
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
    async exclusive<Result>(tenant: string, name: LeaseName, work: () => Promise<Result>): Promise<Result> {
      const lease = { name: `${tenant} ${name}`, holder: randomInt(2 ** 47) }
      const end = await turns.take(lease.name)
      return runWith(lease, work).finally(end)
    },
  }
}
