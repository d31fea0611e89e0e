import { Socket } from 'node:net'
import { Client, type ClientConfig, types } from 'pg'
import { numbered, type Statement, type Value } from '../sql/statement.ts'
import { ConnectionLost, explainError } from './errors.ts'

/** What a statement returned. */
export interface Returned<Row> {
  readonly rows: Row[]
  /** How many rows it changed. */
  readonly changed: number
}

/**
 * One connection to a PostgreSQL database. Statements run in the order in which they were sent; none waits for the
 * answer to the one before. Each is prepared once and kept.
 */
export interface PostgresConnection {
  send<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<Returned<Row>>
  /** Sends SQL without parameters, such as `commit`; resolves to what was done, such as `COMMIT`. */
  command(sql: string): Promise<string>
  /** Whether nothing can be sent any more. */
  isLost(): boolean
  /** Ends it without waiting for anything. */
  abandon(): void
  close(): Promise<void>
}

const [int8, text] = [20, 25]

/** Numbers of eight bytes are times and counts, all safe integers. */
const parsers: ClientConfig['types'] = {
  getTypeParser(oid, format) {
    if (oid === int8) return Number
    return oid === text ? fromText : types.getTypeParser(oid as number, format as 'text')
  },
}

/** A text of PostgreSQL holds every character but one: it is written as a noncharacter and a digit, and that one, too. */
const mark = '\ufffe'
const toText = (value: string) =>
  /[\0\ufffe]/.test(value) ? value.replaceAll(mark, `${mark}1`).replaceAll('\0', `${mark}0`) : value
const fromText = (value: string) =>
  value.includes(mark) ? value.replaceAll(`${mark}0`, '\0').replaceAll(`${mark}1`, mark) : value

interface Prepared {
  /** Short, because it is sent each time. */
  readonly name: string
  readonly text: string
  /** The names of its parameters, in their order. */
  readonly names: readonly string[]
}

const prepared = new WeakMap<object, Prepared>()
let preparedCount = 0

function prepare(statement: Statement<never, unknown>): Prepared {
  let known = prepared.get(statement)
  if (!known) {
    const { sql: text, names } = numbered(statement.postgres ?? statement.sql)
    preparedCount += 1
    known = { name: `s${preparedCount}`, text, names }
    prepared.set(statement, known)
  }
  return known
}

/**
 * Connects; rejects with a sentence that names the database as `where` does. `onNotified` is called with what is notified
 * on the channels that the connection listens to.
 */
export async function connect(
  config: ClientConfig,
  where: string,
  onNotified?: (payload: string) => void,
): Promise<PostgresConnection> {
  let lost: Error | undefined
  const socket = new Socket()
  const client = new Client({ ...config, pipeline: true, types: parsers, stream: () => socket })
  // Also while nothing is sent: without a listener it would end the process.
  client.on('error', error => {
    lost ??= explainError(error, where)
  })
  client.on('notification', ({ payload }) => onNotified?.(payload ?? ''))
  client.on('end', () => {
    lost ??= new ConnectionLost(`${where} ended the connection.`)
  })
  try {
    await client.connect()
  } catch (error) {
    socket.destroy()
    throw explainError(error, where)
  }

  const explained = (error: unknown): never => {
    const explanation = explainError(error, where)
    if (explanation instanceof ConnectionLost) lost ??= explanation
    throw explanation
  }
  return {
    send: async <Row>(statement: Statement<never, Row>, params: unknown) => {
      const { name, text, names } = prepare(statement)
      const result = await client.query({ name, text, values: bind(names, params) }).catch(explained)
      return { rows: result.rows as Row[], changed: result.rowCount ?? 0 }
    },
    command: async sql => (await client.query(sql).catch(explained)).command,
    isLost: () => lost !== undefined,
    abandon() {
      lost ??= new ConnectionLost(`${where} did not answer in time.`)
      socket.destroy()
    },
    close: () => client.end().catch(() => undefined),
  }
}

/** Columns of times hold whole numbers of eight bytes: without end is after all of them. */
function bind(names: readonly string[], params: unknown): Value[] {
  const values = params as Record<string, Value>
  return names.map(name => {
    const value = values[name] as Value
    if (typeof value === 'string') return toText(value)
    return value === Infinity ? Number.MAX_SAFE_INTEGER : value
  })
}
