import type { SandboxStorage } from '@lead-distribution/simulator'
import { createSqlStorage } from '../sql/sql-storage.ts'
import type { Executor, Statement, Transactor } from '../sql/statement.ts'
import { createDatabase, type Database } from './connection.ts'
import { readDatabaseUrl } from './database-url.ts'
import { migrate } from './migrate.ts'
import { createCoordination } from './process-coordination.ts'
import { createLane, type LaneLimits } from './transactor.ts'

/**
 * Opens the sandbox's storage in a PostgreSQL database, creating its tables if they are missing. If the database cannot
 * be used, rejects with a message that says what to do. The URL, which may contain a password, appears in no error and
 * no log.
 */
export async function openPostgresStorage(url: string, onError?: (error: unknown) => void): Promise<SandboxStorage> {
  const location = readDatabaseUrl(url)
  const database = createDatabase(location)
  await migrate(database)
  const sharing = createCoordination(onNotified => database.connect({ onNotified }))
  const lanes = createLanes(database, location.connections)
  const storage = createSqlStorage(lanes, location.where, undefined, sharing.checkLease, onError)
  return {
    ...storage,
    shared: sharing,
    async close() {
      await storage.close()
      await sharing.close()
    },
  }
}

/** How long copies of content wait for each other, and the time limit of a copy, milliseconds. */
const maxCopyMs = 3_600_000

/** Reads use a snapshot of the database, and PostgreSQL ensures that they write nothing. */
const reads = { begin: 'begin isolation level repeatable read read only', inDoubt: 'run again' } as const

/**
 * A connection pool. One connection writes journals, and one copies content; the first one removes content, which the
 * others do not wait for. A tenant's transactions all use one of the other connections, in order. Each of these has a
 * second connection for reads, which do not wait for commits.
 */
function createLanes({ connect, deadlineMs }: Database, connections: number): Transactor {
  const limits: LaneLimits = {
    works: 128,
    waitMs: deadlineMs,
    groupMs: 20_000,
    runs: 8,
    begin: 'begin',
    inDoubt: 'ask',
  }
  const createOne = (more: Partial<LaneLimits> = {}) => createLane(() => connect(), { ...limits, ...more })
  const relaxed = createLane(
    async () => {
      const connection = await connect()
      await connection.command('set synchronous_commit = off')
      return connection
    },
    { ...limits, inDoubt: 'fail' },
  )
  const first = createOne()
  const others = Array.from({ length: connections - 1 }, () => createOne())
  const reading = Array.from({ length: Math.max(1, connections - 1) }, () => createOne(reads))
  const copying = createLane(() => connect({ isPatient: true }), {
    ...limits,
    works: 1,
    // A copy has no time limit.
    waitMs: maxCopyMs,
    groupMs: maxCopyMs,
  })
  const laneOf = (lanes: readonly Transactor[], name: string) => lanes[numberOf(name) % lanes.length] ?? first
  return {
    transact: (work, name) => (name === undefined ? first : laneOf(others, name)).transact(work),
    relaxed: work => relaxed.transact(work),
    read: (work, name = '') => laneOf(reading, name).transact(db => work(withoutLocks(db))),
    together: run => copying.transact(db => run(work => work(db))),
    async close(last) {
      await Promise.all([copying, relaxed, ...reading, ...others].map(lane => lane.close()))
      await first.close(last)
    },
  }
}

/** An executor for reads: it uses the SQL without locks, and takes no turns, which are for writers. */
function withoutLocks({ all, first, turn: _, ...db }: Executor): Executor {
  return {
    ...db,
    all: (statement, params) => all(plain(statement), params),
    first: (statement, params) => first(plain(statement), params),
  }
}

const plainStatements = new WeakMap<object, object>()

function plain<Params, Row>(statement: Statement<Params, Row>): Statement<Params, Row> {
  if (statement.postgres === undefined) return statement
  const found = plainStatements.get(statement) ?? { sql: statement.sql }
  plainStatements.set(statement, found)
  return found as Statement<Params, Row>
}

/** Hashes a text to a number. */
function numberOf(text: string): number {
  let number = 0
  for (const character of text) number = (number * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return number
}
