import type { ClientConfig } from 'pg'

/** The parsed URL of a database. */
export interface DatabaseUrl {
  readonly config: ClientConfig
  /**
   * The number of connections for transactions. A process opens the same number for reads, and three more: for copying
   * content, for journals, and for coordination with other processes.
   */
  readonly connections: number
  /** The timeout of a connection without any response, milliseconds; half of it while connecting. */
  readonly deadlineMs: number
  /** Identifies the database in messages, without user and password. */
  readonly where: string
}

/** Returns true if a data location is a PostgreSQL database. */
export function isDatabaseUrl(data: string): boolean {
  return /^postgres(?:ql)?:/i.test(data)
}

/** The default number of connections per process: many processes share the server's limit, usually 100. */
const connections = { usual: 4, most: 100 }

/** Milliseconds. */
const deadline = { usual: 5_000, most: 600_000 }

/**
 * Milliseconds. A transaction that waits for another process's lock waits briefly and retries, because transactions
 * take only milliseconds. A process that stalls in the middle of a transaction loses it before the others give up.
 */
const limits = {
  keepAliveInitialDelayMillis: 10_000,
  lock_timeout: 500,
  idle_in_transaction_session_timeout: 3_000,
}

/**
 * Parses `postgres://user:password@host:5432/database?pool_size=4&statement_timeout=5000&sslmode=verify-full`. Throws a
 * message that does not repeat the URL, which may contain a password.
 */
export function readDatabaseUrl(text: string): DatabaseUrl {
  // Without slashes, host and password would be parsed as a path, and the host would be this machine.
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
      // The server cancels a statement itself before the connection times out.
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
