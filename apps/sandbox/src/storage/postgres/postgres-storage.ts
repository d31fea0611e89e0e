import type { SandboxStorage } from '@lead-distribution/simulator'
import type { ClientConfig } from 'pg'
import { createSqlStorage } from '../sql/sql-storage.ts'
import type { Transactor } from '../sql/statement.ts'
import { connect } from './connection.ts'
import { readDatabaseUrl } from './database-url.ts'
import { migrate } from './migrate.ts'
import { createSharing } from './sharing.ts'
import { createLane, type LaneLimits } from './transactor.ts'

/**
 * The sandbox's storage in a PostgreSQL database, whose tables are made where there are none. Rejects with a sentence that
 * says what to do where the database cannot serve. The URL, which may hold a password, is in no error and in no log.
 */
export async function openPostgresStorage(url: string): Promise<SandboxStorage> {
  const { config, connections, where } = readDatabaseUrl(url)
  await migrate(config, where)
  const sharing = createSharing(onNotified => connect(config, where, onNotified))
  const storage = createSqlStorage(createLanes(config, connections, where), where)
  return {
    ...storage,
    shared: sharing,
    async close() {
      await storage.close()
      await sharing.close()
    },
  }
}

/** Copies of content take as long as they take, and see it as it was at one time. */
const copies: LaneLimits = { works: 1, groupMs: 3_600_000, runs: 8, begin: 'begin isolation level repeatable read' }

/**
 * Several connections. One copies content and the first removes it, which others do not wait for; the works of a tenant go
 * over one of the others, in their order.
 */
function createLanes(config: ClientConfig, connections: number, where: string): Transactor {
  const createOne = (limits?: LaneLimits) => createLane(() => connect(config, where), limits)
  const first = createOne()
  const others = Array.from({ length: connections - 1 }, () => createOne())
  const copying = createOne(copies)
  const laneOf = (name: string) => others[numberOf(name) % others.length] ?? first
  return {
    transact: (work, name) => (name === undefined ? first : laneOf(name)).transact(work),
    together: run => copying.transact(db => run(work => work(db))),
    async close(last) {
      await Promise.all([copying, ...others].map(lane => lane.close()))
      await first.close(last)
    },
  }
}

/** A number that a text always has. */
function numberOf(text: string): number {
  let number = 0
  for (const character of text) number = (number * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return number
}
