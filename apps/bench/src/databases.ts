import { callbackRate } from './callbacks.ts'
import { type LoadResult, median, percentile, runLoad } from './load.ts'
import { servers, startPostgres, startSandboxOn } from './servers.ts'
import { measureSizes } from './sizes.ts'
import type { Target } from './target.ts'

const rounds = 9
const warmUp = 3
const requests = 1_000
const connections = 32
const callbacks = 5_000

type Way = readonly [name: string, processes: readonly Target[]]

/**
 * `POST /lead` with the data in SQLite, in PostgreSQL by one process, and by two over the same database, each with half
 * of the connections. All take turns; the ratio of a round is to SQLite in that round. The database is on this machine
 * and waits for its disk, as one of users does. Then callbacks a second of each, and what it costs to have many leads.
 */
export async function measureDatabases(sizes: readonly number[]): Promise<void> {
  await using postgres = await startPostgres()
  const sqlite = await servers.sandbox()
  const first = await startSandboxOn(postgres.url)
  const second = await startSandboxOn(postgres.url)
  const ways: readonly Way[] = [
    ['SQLite', [sqlite]],
    ['PostgreSQL', [first]],
    ['PostgreSQL, 2 processes', [first, second]],
  ]
  try {
    await measureRates(ways)
    console.log(`\nCallbacks that fall due at once, ${callbacks} to a receiver on this machine`)
    for (const [name, processes] of ways) {
      const { perSecond } = await callbackRate(processes, { delivered: callbacks, label: labelOf(name) })
      console.log(`  ${name.padEnd(24)} ${perSecond.toFixed(0)} callbacks/s`)
    }
  } finally {
    for (const target of [sqlite, first, second]) await target.stop()
  }
  await measureSizes(postgres, sizes)
}

const labelOf = (name: string) => name.replaceAll(/\W/g, '')

async function measureRates(ways: readonly Way[]): Promise<void> {
  const rates = new Map(ways.map(([name]) => [name, [] as number[]]))
  const slowest = new Map(ways.map(([name]) => [name, [] as number[]]))
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, processes] of ways) {
      const { perSecond, p99 } = await runSplit(processes, `${labelOf(name)}-${round + warmUp}`)
      if (round < 0) continue
      rates.get(name)?.push(perSecond)
      slowest.get(name)?.push(p99)
    }
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
  if (failures > 0) throw new Error(`${failures} of ${requests} leads did not get a 200: ${label}.`)
  return {
    perSecond: requests / seconds,
    p99: Math.max(...results.map(({ latencies }) => percentile(latencies, 0.99))),
  }
}
