import { callbackRate } from './callbacks.ts'
import { inTurns, median, percentile, ratioTo, runLoad } from './load.ts'
import { servers, startPostgres, startSandboxOn } from './servers.ts'
import { measureSizes } from './sizes.ts'
import type { Target } from './target.ts'

const rounds = 9
const warmUp = 3
/** First one client, before the databases have to clean up after many; then many clients. */
const loads = [
  { connections: 1, requests: 200 },
  { connections: 32, requests: 1_000 },
]
const pages = 40
const callbacks = 5_000

type Ways = Readonly<Record<string, readonly Target[]>>

/**
 * Measures `POST /lead` by one client and by many, and reading a page of 50 leads, with the data in SQLite, in
 * PostgreSQL with one process, and in PostgreSQL with two processes that share the connections equally. Ratios are to
 * SQLite. The database is on this machine and waits for its disk, as in production. Then measures callbacks per second
 * for each, and the cost of many stored leads.
 */
export async function measureDatabases(sizes: readonly number[]): Promise<void> {
  await using postgres = await startPostgres()
  {
    await using sqlite = await servers.sandbox()
    await using first = await startSandboxOn(postgres.url)
    await using second = await startSandboxOn(postgres.url)
    const ways = { SQLite: [sqlite], PostgreSQL: [first], 'PostgreSQL, 2 processes': [first, second] }
    for (const load of loads) await measureRates(ways, load)
    await measurePages(ways)
    console.log(`\nCallbacks that fall due together, ${callbacks} to a receiver on this machine`)
    for (const [name, processes] of Object.entries(ways)) {
      const label = name.replaceAll(/\W/g, '')
      const { perSecond } = await callbackRate(processes, { delivered: callbacks, label })
      console.log(`  ${name.padEnd(24)} ${perSecond.toFixed(0)} callbacks/s`)
    }
  }
  await measureSizes(postgres, sizes)
}

type LoadSize = (typeof loads)[number]

async function measureRates(ways: Ways, size: LoadSize): Promise<void> {
  const { connections, requests } = size
  const results = await inTurns(ways, { rounds, warmUp }, (processes, turn) =>
    runSplit(processes, size, `${connections}-${turn}`),
  )
  console.log(`\nDatabases, ${connections} connections, ${rounds} rounds of ${requests} leads, medians`)
  for (const [name, measured] of results) {
    const ratio = ratioTo(results, 'SQLite', name, ({ perSecond }) => perSecond)
    const [rate, p99] = [measured.map(each => each.perSecond), measured.map(each => each.p99)].map(median)
    console.log(
      `  ${name.padEnd(24)} ratio to SQLite ${ratio}   ${rate?.toFixed(0)} leads/s   p99 ${p99?.toFixed(1)} ms`,
    )
  }
}

/** Divides a load among processes; returns the total rate and the p99 of the slowest. */
async function runSplit(
  all: readonly Target[],
  { connections, requests }: LoadSize,
  label: string,
): Promise<{ perSecond: number; p99: number }> {
  const processes = all.slice(0, connections)
  const share = { connections: connections / processes.length, requests: requests / processes.length }
  const start = performance.now()
  const results = await Promise.all(
    processes.map(({ port }, index) => runLoad({ port, ...share, label: `${label}-${index}` })),
  )
  const seconds = (performance.now() - start) / 1000
  return {
    perSecond: requests / seconds,
    p99: Math.max(...results.map(({ latencies }) => percentile(latencies, 0.99))),
  }
}

/** Measures reading the tenant's newest 50 leads, one request at a time. */
async function measurePages(ways: Ways): Promise<void> {
  const waits = await inTurns(ways, { rounds: pages, warmUp }, async ([first]) => {
    const start = performance.now()
    const response = await fetch(`http://127.0.0.1:${first?.port}/_sandbox/v1/tenants/demo/leads?limit=50`)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`The request for a page of leads got ${response.status}.`)
    return performance.now() - start
  })
  console.log(`\nA page of 50 leads, ${pages} in turns, medians`)
  for (const [name, measured] of waits) {
    const ratio = ratioTo(waits, 'SQLite', name, wait => wait)
    console.log(`  ${name.padEnd(24)} ${ratio} times that of SQLite   ${median(measured).toFixed(1)} ms`)
  }
}
