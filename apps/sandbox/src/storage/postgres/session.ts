import type { PostgresConnection } from './connection.ts'
import { isTransient } from './errors.ts'

/** The database's clock, shared by all processes: milliseconds since 1970. */
export const databaseTime = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** The maximum number of attempts. */
const maxRuns = 8

/**
 * A connection that reconnects on demand after it was lost. `prepare` runs on each new connection before it is used.
 */
export function createReconnecting(
  connect: () => Promise<PostgresConnection>,
  prepare: (connection: PostgresConnection) => Promise<void> = async () => {},
) {
  let opening: Promise<PostgresConnection> | undefined
  let closed = false
  const current = async () => opening?.catch(() => undefined)

  async function open(): Promise<PostgresConnection> {
    for (let runs = 1; ; runs++) {
      const connection = await connect()
      try {
        await prepare(connection)
        return connection
      } catch (error) {
        if (runs === maxRuns || !connection.isLost()) {
          connection.abandon()
          throw error
        }
      }
    }
  }

  async function connected(): Promise<PostgresConnection> {
    const before = opening
    const existing = await current()
    if (closed) throw new Error('The storage is closed: open it again to use it.')
    // Another caller that found it lost may already be reconnecting.
    if (before === opening && (!existing || existing.isLost())) opening = open()
    return opening as Promise<PostgresConnection>
  }

  return {
    connected,
    /**
     * Runs an idempotent statement outside of transactions. Retries if its connection was lost or another process
     * interfered; fails immediately while no connection can be made.
     */
    async run<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
      for (let runs = 1; ; runs++) {
        const connection = await connected()
        try {
          return await work(connection)
        } catch (error) {
          if (runs === maxRuns || !(connection.isLost() || isTransient(error))) throw error
        }
      }
    },
    async close(): Promise<void> {
      closed = true
      await (await current())?.close()
    },
  }
}

/** A connection that reconnects after it was lost. */
export type Reconnecting = ReturnType<typeof createReconnecting>

/** Named locks within this process: one holder at a time, in the order of requests. */
export function createTurns() {
  const last = new Map<string, Promise<void>>()
  return {
    /** Waits for the earlier holders; resolves to a function that releases the lock. */
    async take(name: string): Promise<() => void> {
      const before = last.get(name)
      const over = Promise.withResolvers<void>()
      last.set(name, over.promise)
      await before
      return () => {
        if (last.get(name) === over.promise) last.delete(name)
        over.resolve()
      }
    },
  }
}
