import { Socket } from 'node:net'
import type { Value } from '@lead-distribution/simulator'
import { Client, type ClientConfig, types } from 'pg'
import { numbered, type Statement } from '../sql/statement.ts'
import type { DatabaseUrl } from './database-url.ts'
import { ConnectionLost, explainError } from './errors.ts'

/** The result of a statement. */
export interface Returned<Row> {
  readonly rows: Row[]
  /** The number of rows changed. */
  readonly changed: number
}

/**
 * One connection to a PostgreSQL database. Statements are pipelined: they run in the order in which they are sent,
 * without waiting for earlier results. Each is prepared once and kept.
 */
export interface PostgresConnection {
  send<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<Returned<Row>>
  /** Sends SQL without parameters, such as `commit`; resolves to the command tag, such as `COMMIT`. */
  command(sql: string): Promise<string>
  /** True if nothing can be sent any more. */
  isLost(): boolean
  /** Closes the connection immediately; pending statements reject with the reason. */
  abandon(why?: ConnectionLost): void
  close(): Promise<void>
}

const [int8, text] = [20, 25]

/** Eight-byte numbers are times and counts, all safe integers. */
const parsers: ClientConfig['types'] = {
  getTypeParser(oid, format) {
    if (oid === int8) return Number
    return oid === text ? fromText : types.getTypeParser(oid as number, format as 'text')
  },
}

/** PostgreSQL's text cannot contain NUL: it is written as a noncharacter and a digit, and so is the noncharacter. */
const mark = '\ufffe'
const toText = (value: string) =>
  /[\0\ufffe]/.test(value) ? value.replaceAll(mark, `${mark}1`).replaceAll('\0', `${mark}0`) : value
const fromText = (value: string) =>
  value.includes(mark) ? value.replaceAll(`${mark}0`, '\0').replaceAll(`${mark}1`, mark) : value

interface Prepared {
  /** Short, because it is sent with each execution. */
  readonly name: string
  readonly text: string
  /** The names of its parameters, in order. */
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

/** The options for opening a connection. */
export interface ConnectOptions {
  /** Called with the payloads of notifications on the channels to which the connection listens. */
  readonly onNotified?: ((payload: string) => void) | undefined
  /** True for work without a deadline: it continues as long as the database responds to others. */
  readonly isPatient?: boolean | undefined
}

/** A database to which connections can be opened. */
export interface Database {
  /** Identifies the database in messages. */
  readonly where: string
  /** The timeout of a connection without any response, milliseconds; half of it while connecting. */
  readonly deadlineMs: number
  /**
   * Connects; rejects with a message that names the database. After a connection times out, rejects immediately until
   * the database responds again, so that only one caller waits for the deadline.
   */
  connect(options?: ConnectOptions): Promise<PostgresConnection>
}

/** Creates a database client that connects on demand. */
export function createDatabase({ config, where, deadlineMs }: DatabaseUrl): Database {
  const connections = new Set<OpenConnection>()
  let silence: Error | undefined
  let probing: Promise<boolean> | undefined

  function onSilent(error: ConnectionLost): void {
    silence = error
    // Idle connections get no notice of this; each would only time out on its next use.
    for (const connection of connections) if (connection.isIdle()) connection.abandon(error)
  }

  async function open({ onNotified, isPatient = false }: ConnectOptions = {}): Promise<PostgresConnection> {
    const connection = await openConnection({
      config: isPatient ? { ...config, statement_timeout: 0 } : config,
      where,
      deadlineMs,
      onNotified,
      onSilent,
      mayGoOn: isPatient ? probe : undefined,
    })
    for (const other of connections) if (other.isLost()) connections.delete(other)
    connections.add(connection)
    return connection
  }

  /** Resolves to true if the database responds. */
  function probe(): Promise<boolean> {
    probing ??= open()
      .then(
        connection => {
          silence = undefined
          void connection.close()
          return true
        },
        error => {
          if (silence) silence = error
          return false
        },
      )
      .finally(() => {
        probing = undefined
      })
    return probing
  }

  return {
    where,
    deadlineMs,
    async connect(options) {
      if (!silence) return open(options)
      void probe()
      throw silence
    },
  }
}

interface OpenOptions extends Omit<DatabaseUrl, 'connections'>, Pick<ConnectOptions, 'onNotified'> {
  /** Called when the connection times out without any response. */
  readonly onSilent: (error: ConnectionLost) => void
  /** Called before that; returns true to wait for another deadline. */
  readonly mayGoOn: (() => Promise<boolean>) | undefined
}

interface OpenConnection extends PostgresConnection {
  /** True while no response is pending. */
  isIdle(): boolean
}

/** How long closing waits for the server, milliseconds. */
const closeMs = 1_000

async function openConnection(options: OpenOptions): Promise<OpenConnection> {
  const { config, where, deadlineMs, onNotified, onSilent, mayGoOn } = options
  let lost: Error | undefined
  let isConnected = false
  const socket = new Socket()
  const client = new Client({ ...config, pipeline: true, types: parsers, stream: () => socket })
  function abandon(why = new ConnectionLost(`${where} did not respond in time.`)): void {
    lost ??= why
    socket.destroy()
  }
  // A start without any response must fail within five seconds, even on a busy machine.
  const waitMs = () => (isConnected ? deadlineMs : deadlineMs / 2)
  const silence = watchSilence(waitMs, async () => {
    if (isConnected && (await mayGoOn?.())) return
    const why = new ConnectionLost(`${where} did not respond within ${waitMs()} ms: check that it is running.`)
    abandon(why)
    onSilent(why)
  })
  // Needed even when idle: an error without a listener would end the process.
  client.on('error', error => {
    lost ??= explainError(error, where)
  })
  client.on('notification', ({ payload }) => onNotified?.(payload ?? ''))
  client.on('end', () => {
    lost ??= new ConnectionLost(`${where} ended the connection.`)
  })
  const explained = (error: unknown): never => {
    const explanation = explainError(error, where)
    if (!(explanation instanceof ConnectionLost)) throw explanation
    lost ??= explanation
    throw lost
  }
  await silence.until(client.connect()).catch(error => {
    socket.destroy()
    return explained(error)
  })
  isConnected = true

  /** Sends all statements of one turn of the event loop in a single system call, which dominates the cost. */
  function gather(): void {
    if (socket.writableCorked > 0) return
    socket.cork()
    process.nextTick(() => socket.uncork())
  }

  return {
    send: async <Row>(statement: Statement<never, Row>, params: unknown) => {
      gather()
      const { name, text, names } = prepare(statement)
      const result = await silence.until(client.query({ name, text, values: bind(names, params) })).catch(explained)
      return { rows: result.rows as Row[], changed: result.rowCount ?? 0 }
    },
    command: async sql => {
      gather()
      return (await silence.until(client.query(sql)).catch(explained)).command
    },
    isLost: () => lost !== undefined,
    isIdle: silence.isIdle,
    abandon,
    async close() {
      const timer = setTimeout(() => socket.destroy(), closeMs)
      await client.end().catch(() => undefined)
      clearTimeout(timer)
    },
  }
}

/**
 * Calls `onSilent` if responses are pending and none arrives for this long. Responses come in order, so any of them
 * shows that the connection is alive.
 */
function watchSilence(ms: () => number, onSilent: () => Promise<void>) {
  let awaited = 0
  let answers = 0
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const before = answers
    // This process itself may have been blocked: first read what arrived meanwhile.
    setImmediate(async () => {
      if (awaited === 0 || answers > before) return
      await onSilent()
      if (awaited > 0) timer?.refresh()
    })
  }
  return {
    isIdle: () => awaited === 0,
    async until<T>(answer: Promise<T>): Promise<T> {
      awaited += 1
      if (awaited === 1) timer = setTimeout(look, ms())
      try {
        return await answer
      } finally {
        awaited -= 1
        answers += 1
        if (awaited === 0) clearTimeout(timer)
        else timer?.refresh()
      }
    },
  }
}

/** Time columns hold eight-byte integers; an infinite time is the largest one. */
function bind(names: readonly string[], params: unknown): Value[] {
  const values = params as Record<string, Value>
  return names.map(name => {
    const value = values[name] as Value
    if (typeof value === 'string') return toText(value)
    return value === Infinity ? Number.MAX_SAFE_INTEGER : value
  })
}
