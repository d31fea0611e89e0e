import { callbackRate } from './callbacks.ts'
import { type LoadResult, median, percentile, runLoad } from './load.ts'
import { servers, startPostgres, startSandboxOn } from './servers.ts'
import { measureSizes } from './sizes.ts'
import type { Target } from './target.ts'

const rounds = 9
const warmUp = 3
/** One client that waits for each response, before the databases tidy up behind many; then many. */
const loads = [
  { connections: 1, requests: 200 },
  { connections: 32, requests: 1_000 },
]
const pages = 40
const callbacks = 5_000

type Way = readonly [name: string, processes: readonly Target[]]

/**
 * `POST /lead` with the data in SQLite, in PostgreSQL by one process, and by two over the same database, each with half
 * of the connections: by one client, by many, and a page of 50 leads. All take turns; the ratio of a round is to SQLite in
 * that round. The database is on this machine and waits for its disk, as one of users does. Then callbacks a second of
 * each, and what it costs to have many leads.
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
    for (const load of loads) await measureRates(ways, load)
    await measurePages(ways)
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

type LoadSize = (typeof loads)[number]

async function measureRates(ways: readonly Way[], size: LoadSize): Promise<void> {
  const rates = new Map(ways.map(([name]) => [name, [] as number[]]))
  const slowest = new Map(ways.map(([name]) => [name, [] as number[]]))
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, processes] of ways) {
      const { perSecond, p99 } = await runSplit(
        processes,
        size,
        `${labelOf(name)}-${size.connections}-${round + warmUp}`,
      )
      if (round < 0) continue
      rates.get(name)?.push(perSecond)
      slowest.get(name)?.push(p99)
    }
  }
  const { connections, requests } = size
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
async function runSplit(
  all: readonly Target[],
  { connections, requests }: LoadSize,
  label: string,
): Promise<{ perSecond: number; p99: number }> {
  const processes = all.slice(0, connections)
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

/** The newest 50 leads of the tenant, one request after the other. */
async function measurePages(ways: readonly Way[]): Promise<void> {
  const waits = new Map(ways.map(([name]) => [name, [] as number[]]))
  for (let round = -warmUp; round < pages; round++)
    for (const [name, [first]] of ways) {
      const start = performance.now()
      const response = await fetch(`http://127.0.0.1:${first?.port}/_sandbox/v1/tenants/demo/leads?limit=50`)
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`A page of leads got ${response.status}.`)
      if (round >= 0) waits.get(name)?.push(performance.now() - start)
    }
  console.log(`\nA page of 50 leads, ${pages} in turns, medians`)
  const base = median(waits.get('SQLite') ?? [])
  for (const [name, measured] of waits)
    console.log(
      `  ${name.padEnd(24)} ${(median(measured) / base).toFixed(2)} times that of SQLite   ${median(measured).toFixed(1)} ms`,
    )
}
