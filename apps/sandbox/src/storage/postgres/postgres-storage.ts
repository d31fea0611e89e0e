import type { SandboxStorage } from '@lead-distribution/simulator'
import { createSqlStorage } from '../sql/sql-storage.ts'
import type { Executor, Statement, Transactor } from '../sql/statement.ts'
import { createDatabase, type Database } from './connection.ts'
import { readDatabaseUrl } from './database-url.ts'
import { migrate } from './migrate.ts'
import { createCoordination } from './process-coordination.ts'
import { createLane, type LaneLimits } from './transactor.ts'

/**
 * The sandbox's storage in a PostgreSQL database, whose tables are made where there are none. Rejects with a sentence that
 * says what to do where the database cannot serve. The URL, which may hold a password, is in no error and in no log.
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

/** The time that copies of content wait for each other, and that one may take, milliseconds. */
const maxCopyMs = 3_600_000

/** Reads see the database as of their beginning, and PostgreSQL takes care that they write nothing. */
const reads = { begin: 'begin isolation level repeatable read read only', inDoubt: 'run again' } as const

/**
 * Several connections. One writes journals, one copies content and the first removes it, which others do not wait for; the
 * works of a tenant go over one of the others, in their order. Each of these has another one beside it for reads, which wait
 * for no commit.
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
    // A copy takes as long as it takes.
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

/** An executor for reads: it sends the SQL of each statement that takes no locks, and takes no turns. Locks and turns are for writers. */
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

/** A number that a text always has. */
function numberOf(text: string): number {
  let number = 0
  for (const character of text) number = (number * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return number
}
