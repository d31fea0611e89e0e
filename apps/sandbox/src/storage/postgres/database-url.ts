import type { ClientConfig } from 'pg'

/** The parsed URL of a database. */
export interface DatabaseUrl {
  readonly config: ClientConfig
  /**
   * The number of connections for calls. A process opens three more, to copy content, to write journals and to follow other
   * processes, and as many for reads as for the transactions of tenants.
   */
  readonly connections: number
  /** The time without any answer after which a connection is given up, milliseconds; while connecting, half of it. */
  readonly deadlineMs: number
  /** Names the database in messages, without user and password. */
  readonly where: string
}

/** Returns true if a data location is a PostgreSQL database. */
export function isDatabaseUrl(data: string): boolean {
  return /^postgres(?:ql)?:/i.test(data)
}

/** The number of connections that serve the calls of a process: many processes share what the server allows, usually 100. */
const connections = { usual: 4, most: 100 }

/** Milliseconds. */
const deadline = { usual: 5_000, most: 600_000 }

/**
 * Milliseconds. What waits for another process waits shortly, some times: its transactions take some milliseconds. One that
 * stands still in the middle of a transaction loses it before the others give up.
 */
const limits = {
  keepAliveInitialDelayMillis: 10_000,
  lock_timeout: 500,
  idle_in_transaction_session_timeout: 3_000,
}

/**
 * Reads `postgres://user:password@host:5432/database?pool_size=4&statement_timeout=5000&sslmode=verify-full`. Throws a
 * sentence that does not repeat the URL, which may hold a password.
 */
export function readDatabaseUrl(text: string): DatabaseUrl {
  // Without slashes, host and password would be parts of a path, and the database one on this machine.
  if (!URL.canParse(text) || !/^\w+:\/\//.test(text))
    throw new Error(
      'The URL of the database is malformed: write postgres://USER:PASSWORD@HOST:5432/DATABASE, with the password percent-encoded.',
    )
  const url = new URL(text)
  const pool = wholeNumber(url, 'pool_size', connections.usual, connections.most)
  const deadlineMs = wholeNumber(url, 'statement_timeout', deadline.usual, deadline.most)
  url.searchParams.delete('pool_size')
  url.searchParams.delete('statement_timeout')
  const host = url.hostname || url.searchParams.get('host') || 'this machine'
  return {
    config: {
      connectionString: url.href,
      application_name: 'lead-sandbox',
      keepAlive: true,
      ...limits,
      // A server that responds gives a statement up itself, before the connection is.
      statement_timeout: Math.ceil(deadlineMs * 0.9),
    },
    connections: pool,
    deadlineMs,
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
