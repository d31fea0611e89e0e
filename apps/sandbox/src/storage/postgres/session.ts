import type { PostgresConnection } from './connection.ts'

/** The time of the database, which all processes have in common: milliseconds since 1970. */
export const databaseTime = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** A connection that is made again when it is asked for after it was lost. */
export function createReconnecting(open: () => Promise<PostgresConnection>) {
  let opening: Promise<PostgresConnection> | undefined
  let closed = false
  const current = async () => opening?.catch(() => undefined)
  return {
    /** The one there is, lost or not. */
    current,
    async connected(): Promise<PostgresConnection> {
      const before = opening
      const existing = await current()
      if (closed) throw new Error('The storage is closed: open it again to use it.')
      // Another one that found it lost may have begun to open it again.
      if (before === opening && (!existing || existing.isLost())) opening = open()
      return opening as Promise<PostgresConnection>
    },
    async close(): Promise<void> {
      closed = true
      await (await current())?.close()
    },
  }
}

/** Locks by their names. In this process by a queue: the database gives a connection a lock as often as it asks. */
export function createLocks({ lock, unlock }: Record<'lock' | 'unlock', (name: string) => Promise<void>>) {
  const last = new Map<string, Promise<void>>()
  return async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
    const before = last.get(name)
    const over = Promise.withResolvers<void>()
    last.set(name, over.promise)
    await before
    try {
      await lock(name)
      try {
        return await run()
      } finally {
        await unlock(name)
      }
    } finally {
      if (last.get(name) === over.promise) last.delete(name)
      over.resolve()
    }
  }
}
