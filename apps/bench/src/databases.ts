import { callbackRate } from './callbacks.ts'
import { inTurns, median, percentile, ratioTo, runLoad } from './load.ts'
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

type Ways = Readonly<Record<string, readonly Target[]>>

/**
 * `POST /lead` with the data in SQLite, in PostgreSQL by one process, and by two over the same database, each with half
 * of the connections: by one client, by many, and a page of 50 leads. The ratio is to SQLite. The database is on this
 * machine and waits for its disk, as one of users does. Then callbacks a second of each, and what it costs to have many
 * leads.
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
    console.log(`\nCallbacks that fall due at once, ${callbacks} to a receiver on this machine`)
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

/** A load that is divided among processes: the rate of all, and the p99 of the slowest. */
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

/** The newest 50 leads of the tenant, one request after the other. */
async function measurePages(ways: Ways): Promise<void> {
  const waits = await inTurns(ways, { rounds: pages, warmUp }, async ([first]) => {
    const start = performance.now()
    const response = await fetch(`http://127.0.0.1:${first?.port}/_sandbox/v1/tenants/demo/leads?limit=50`)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`A page of leads got ${response.status}.`)
    return performance.now() - start
  })
  console.log(`\nA page of 50 leads, ${pages} in turns, medians`)
  for (const [name, measured] of waits) {
    const ratio = ratioTo(waits, 'SQLite', name, wait => wait)
    console.log(`  ${name.padEnd(24)} ${ratio} times that of SQLite   ${median(measured).toFixed(1)} ms`)
  }
}
