import { Client } from 'pg'
import { inject } from 'vitest'

let count = 0

/**
 * Creates a schema, which is equivalent to a database but takes only a millisecond, and returns its URL. It is deleted
 * with the server.
 */
export async function emptyDatabase(): Promise<string> {
  count += 1
  const schema = `test_${process.pid}_${process.env.VITEST_POOL_ID ?? 0}_${count}_${Date.now()}`
  await query(`create schema ${schema}`)
  const url = new URL(serverUrl())
  url.searchParams.set('options', `-c search_path=${schema}`)
  return url.href
}

/** The URL of this run's server, as its superuser. */
export function serverUrl(): string {
  const url = inject('postgresUrl')
  if (url === undefined) throw new Error('There is no PostgreSQL: run this in the project postgres.')
  return url
}

/** Runs SQL without the storage, and returns the rows. */
export async function query(sql: string, url = serverUrl()): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
