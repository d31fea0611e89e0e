import type { SandboxStorage } from '@lead-distribution/simulator'
import type { ClientConfig } from 'pg'
import { createSqlStorage } from '../sql/sql-storage.ts'
import type { Transactor } from '../sql/statement.ts'
import { connect } from './connection.ts'
import { readDatabaseUrl } from './database-url.ts'
import { migrate } from './migrate.ts'
import { createLane } from './transactor.ts'

/**
 * The sandbox's storage in a PostgreSQL database, whose tables are made where there are none. Rejects with a sentence that
 * says what to do where the database cannot serve. The URL, which may hold a password, is in no error and in no log.
 */
export async function openPostgresStorage(url: string): Promise<SandboxStorage> {
  const { config, connections, where } = readDatabaseUrl(url)
  await migrate(config, where)
  return createSqlStorage(createLanes(config, connections, where))
}

/**
 * Several connections. The first copies and removes content, which others do not wait for; the works of a tenant go over
 * one of the others, in their order.
 */
function createLanes(config: ClientConfig, connections: number, where: string): Transactor {
  const createOne = () => createLane(() => connect(config, where))
  const first = createOne()
  const others = Array.from({ length: connections - 1 }, createOne)
  const laneOf = (name: string) => others[numberOf(name) % others.length] ?? first
  return {
    transact: (work, name) => (name === undefined ? first : laneOf(name)).transact(work),
    async close(last) {
      await Promise.all(others.map(lane => lane.close()))
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
