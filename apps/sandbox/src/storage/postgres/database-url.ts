import type { ClientConfig } from 'pg'

/** What the URL of a database says. */
export interface DatabaseUrl {
  readonly config: ClientConfig
  /** How many connections serve calls; a process opens two more, which copy content and keep it in step with others. */
  readonly connections: number
  /** Names the database in messages, without user and password. */
  readonly where: string
}

/** Whether a place for data is a PostgreSQL database. */
export function isDatabaseUrl(data: string): boolean {
  return /^postgres(?:ql)?:/i.test(data)
}

/** How many connections of a process serve calls: many processes share what the server allows, usually 100. */
const connections = { usual: 4, most: 100 }

/** Milliseconds. What waits for another process waits shortly: its transactions take some milliseconds. */
const limits = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 10_000,
  lock_timeout: 500,
  idle_in_transaction_session_timeout: 20_000,
}

/**
 * Reads `postgres://user:password@host:5432/database?pool_size=4&statement_timeout=10000&sslmode=verify-full`. Throws a
 * sentence that does not repeat the URL, which may hold a password.
 */
export function readDatabaseUrl(text: string): DatabaseUrl {
  if (!URL.canParse(text))
    throw new Error(
      'The URL of the database is malformed: write postgres://USER:PASSWORD@HOST:5432/DATABASE, with signs other than letters and digits of the password as %XX.',
    )
  const url = new URL(text)
  const pool = wholeNumber(url, 'pool_size', connections.usual, connections.most)
  const statement_timeout = wholeNumber(url, 'statement_timeout', limits.statement_timeout, 600_000)
  url.searchParams.delete('pool_size')
  url.searchParams.delete('statement_timeout')
  const host = url.hostname || url.searchParams.get('host') || 'this machine'
  return {
    config: {
      connectionString: url.href,
      application_name: 'lead-sandbox',
      keepAlive: true,
      ...limits,
      statement_timeout,
    },
    connections: pool,
    where: `PostgreSQL at ${host}${url.port && `:${url.port}`}${url.pathname}`,
  }
}

function wholeNumber(url: URL, name: string, usual: number, most: number): number {
  const text = url.searchParams.get(name)
  if (text === null) return usual
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > most)
    throw new Error(`${name} in the URL of the database must be a whole number from 1 to ${most}.`)
  return number
}
