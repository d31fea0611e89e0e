import { Socket } from 'node:net'
import type { Value } from '@lead-distribution/simulator'
import { Client, type ClientConfig, types } from 'pg'
import { numbered, type Statement } from '../sql/statement.ts'
import type { DatabaseUrl } from './database-url.ts'
import { ConnectionLost, explainError } from './errors.ts'

/** The result of a statement. */
export interface Returned<Row> {
  readonly rows: Row[]
  /** The number of rows that it changed. */
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
  /** True if nothing can be sent any more. */
  isLost(): boolean
  /** Ends it without waiting for anything: what was sent rejects with the reason. */
  abandon(why?: ConnectionLost): void
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

/** Options for opening a connection. */
export interface ConnectOptions {
  /** Called with what is notified on the channels that the connection listens to. */
  readonly onNotified?: ((payload: string) => void) | undefined
  /** True for work without a deadline: it goes on for as long as the database responds to others. */
  readonly isPatient?: boolean | undefined
}

/** A database, to which connections are opened. */
export interface Database {
  /** Names it in messages. */
  readonly where: string
  /** The time without any answer after which a connection is given up, milliseconds; while connecting, half of it. */
  readonly deadlineMs: number
  /**
   * Connects; rejects with a sentence that names the database. After a connection was given up, it rejects at once until
   * the database responds again: what waits for one deadline need not wait for another.
   */
  connect(options?: ConnectOptions): Promise<PostgresConnection>
}

/** A database that opens its first connection when it is asked to. */
export function createDatabase({ config, where, deadlineMs }: DatabaseUrl): Database {
  const connections = new Set<OpenConnection>()
  let silence: Error | undefined
  let probing: Promise<boolean> | undefined

  function onSilent(error: ConnectionLost): void {
    silence = error
    // Nothing says so of those that await nothing: the next calls would find out by a deadline each.
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
  /** Called when the connection is given up because nothing came for as long as the deadline. */
  readonly onSilent: (error: ConnectionLost) => void
  /** Asked before that: true to wait for another deadline. */
  readonly mayGoOn: (() => Promise<boolean>) | undefined
}

interface OpenConnection extends PostgresConnection {
  /** True while no answer is awaited. */
  isIdle(): boolean
}

/** The time that closing waits for the server, milliseconds. */
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
  // A start without any response has to fail within five seconds, on a busy machine too.
  const waitMs = () => (isConnected ? deadlineMs : deadlineMs / 2)
  const silence = watchSilence(waitMs, async () => {
    if (isConnected && (await mayGoOn?.())) return
    const why = new ConnectionLost(`${where} did not respond within ${waitMs()} ms: check that it is running.`)
    abandon(why)
    onSilent(why)
  })
  // Also while nothing is sent: without a listener it would end the process.
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

  /** Sends everything of one turn of the event loop in one system call: a call each would cost most. */
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
 * Calls `onSilent` when answers are awaited and none came for so long. Answers come in the order of what was sent: one of
 * them is a sign of life for all.
 */
function watchSilence(ms: () => number, onSilent: () => Promise<void>) {
  let awaited = 0
  let answers = 0
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const before = answers
    // This process itself may have stood still: what came meanwhile is read first.
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

/** Columns of times hold whole numbers of eight bytes: without end is after all of them. */
function bind(names: readonly string[], params: unknown): Value[] {
  const values = params as Record<string, Value>
  return names.map(name => {
    const value = values[name] as Value
    if (typeof value === 'string') return toText(value)
    return value === Infinity ? Number.MAX_SAFE_INTEGER : value
  })
}
