import { setImmediate } from 'node:timers/promises'
import type { Executor, Transactor } from '../sql/statement.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { openScope, type Scope } from './transaction-scope.ts'

/** How much shares one commit, and how long a work may take. */
export interface GroupLimits {
  /** Works in one commit, at the most. */
  readonly works: number
  /** No further work joins after this long, milliseconds. */
  readonly ms: number
  /** A work that has not settled after this long is given up, milliseconds. */
  readonly workMs: number
}

const defaultLimits: GroupLimits = { works: 256, ms: 10, workMs: 10_000 }

interface Job {
  readonly work: (executor: Executor) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (fault: unknown) => void
}

/**
 * Transactions on one connection, one after the other. Those that come in during one turn of the event loop share
 * one commit, which alone costs as much as their statements; each stands behind a savepoint of its own, so that a
 * work that rejects takes nothing of its neighbours along. All promises settle after the commit.
 */
export function createGroupCommit(connection: SqliteConnection, limits = defaultLimits): Transactor {
  const waiting: Job[] = []
  let running: Promise<void> | undefined
  let closed = false

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      // The requests that the event loop is reading just now still come in before the group begins.
      await setImmediate()
      await runGroup()
    }
    running = undefined
  }

  async function runGroup(): Promise<void> {
    const group: Job[] = []
    const settle: (() => void)[] = []
    try {
      connection.command('begin immediate')
      const end = performance.now() + limits.ms
      do {
        const job = waiting.shift() as Job
        group.push(job)
        settle.push(await runJob(job))
      } while (waiting.length > 0 && group.length < limits.works && performance.now() < end)
      connection.command('commit')
    } catch (fault) {
      // Nothing of the group is kept.
      for (const { reject } of group.length > 0 ? group : waiting.splice(0)) reject(fault)
      if (connection.inTransaction()) connection.command('rollback')
      return
    }
    for (const done of settle) done()
  }

  /** Runs one work; answers how its promise settles once the group is committed. */
  async function runJob({ work, resolve, reject }: Job): Promise<() => void> {
    const scope = openScope(connection)
    try {
      const value = await within(limits.workMs, work(scope))
      scope.close()
      if (scope.wrote()) connection.command('release work')
      return () => resolve(value)
    } catch (fault) {
      scope.close()
      undo(scope, fault)
      return () => reject(fault)
    }
  }

  function undo(scope: Scope, fault: unknown): void {
    if (!connection.inTransaction()) throw fault
    if (!scope.wrote()) return
    connection.command('rollback to work')
    connection.command('release work')
  }

  return {
    transact<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
      if (closed) return Promise.reject(new Error('The storage is closed: open it again to use it.'))
      return new Promise((resolve, reject) => {
        waiting.push({ work: async executor => work(executor), resolve: value => resolve(value as T), reject })
        running ??= drain()
      })
    },
    async close() {
      if (closed) return
      closed = true
      await running
      connection.close()
    },
  }
}

/** Gives a promise up after so long: one work that waits for ever would stop all that wait behind it. */
function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      reject(
        new Error(
          `A transaction did not settle within ${ms} ms and was rolled back: await only the tables inside its work, and start no other transaction there.`,
        ),
      )
    const timer = setTimeout(giveUp, ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
