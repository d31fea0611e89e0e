import { StorageUnavailable, TenantChanged } from '@lead-distribution/simulator'

/** The connection was lost or could not be made. Its uncommitted changes are not stored. */
export class ConnectionLost extends StorageUnavailable {}

const noPooler = 'connect to the server itself, not a pooler such as PgBouncer'

/** SQLSTATE codes, or their first two characters, that an operator can act on. */
const advice: Readonly<Record<string, string>> = {
  '08P01': `refuses settings that the sandbox makes when it connects: ${noPooler}`,
  '25006': 'is read-only: connect to the primary server',
  '25P03': 'ended a transaction because this process stalled: check its load',
  '26000': `lost the prepared statements of the connection: ${noPooler}`,
  '28': "refuses the user or the password: check both in the URL, and the server's pg_hba.conf",
  '3D': 'does not exist: create the database, or use another one',
  '42501': 'denies this user a permission: allow it to create and use tables',
  '53': 'is out of resources: check its disk, memory and max_connections',
  '55P03': 'was busy with other processes for too long: try again',
  '40': 'was busy with other processes for too long: try again',
  '57014': 'did not finish a statement in time: check its load, or raise statement_timeout in the URL',
  '58': 'cannot read or write its files: check its disk',
}

const found = (table: Readonly<Record<string, string>>, code: string) => table[code] ?? table[code.slice(0, 2)]

/** Another process interfered; a retry of the transaction may succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof Error && /^(40...|55P03)$/.test(codeOf(error.cause))
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '')
}

/**
 * Converts a driver error to one that names the database and says what to do. It contains none of the text from
 * PostgreSQL or the driver, which may quote a customer's address or the URL; its cause contains only the code.
 */
export function explainError(error: unknown, where: string): Error {
  if (error instanceof StorageUnavailable) return error
  const code = codeOf(error)
  const cause = { code }
  // PostgreSQL's codes have five characters; others come from the socket. The driver has no code for a closed
  // connection.
  const isOfServer = /^[0-9A-Z]{5}$/.test(code) && typeof (error as { severity?: unknown }).severity === 'string'
  const known = isOfServer ? found(advice, code) : undefined
  const told = known && `${where} ${known} (${code}).`
  if (!isOfServer || /^(08|57P|25P03)/.test(code)) {
    const silent = `${where} does not respond (${code || 'the connection ended'}): check that it is running.`
    return new ConnectionLost(told ?? silent, { cause })
  }
  // Statements assert a row count of 1 by dividing by it.
  if (code === '22012') return new TenantChanged(cause)
  if (told) return new StorageUnavailable(told, { cause })
  const { constraint, table } = error as { constraint?: string; table?: string }
  const place = [table && `table ${table}`, constraint && `constraint ${constraint}`].filter(Boolean).join(', ')
  return new Error(`${where} refused a statement (${[code, place].filter(Boolean).join(', ')}).`, { cause })
}
