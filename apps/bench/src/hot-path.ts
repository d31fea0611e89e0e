import { type LoadResult, median, percentile, runLoad } from './load.ts'
import { type ServerName, servers } from './servers.ts'
import type { Target } from './target.ts'

const rounds = 7
const requests = 5_000
const connections = 32
const names = Object.keys(servers) as ServerName[]

/**
 * `POST /lead`, each with a new address: the servers take turns round by round, so that what else the machine does
 * affects both alike, and the ratio of a round is taken within it.
 */
export async function measureHotPath(): Promise<void> {
  console.log(`\nPOST /lead, ${connections} connections, ${rounds} rounds of ${requests} requests, medians`)
  const targets = new Map<ServerName, Target>()
  for (const name of names) targets.set(name, await servers[name]())
  const results = new Map<ServerName, LoadResult[]>(names.map(name => [name, []]))
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const [name, { port }] of targets) {
        const result = await runLoad({ port, connections, requests, label: `round-${round}` })
        if (result.failures > 0) throw new Error(`${name} refused ${result.failures} of ${requests} requests.`)
        // The first round warms up.
        if (round > 0) results.get(name)?.push(result)
      }
    }
  } finally {
    for (const target of targets.values()) await target.stop()
  }
  const bare = results.get('bare') ?? []
  for (const [name, measured] of results) {
    const ratio = median(measured.map(({ perSecond }, round) => perSecond / (bare[round]?.perSecond ?? Number.NaN)))
    const figure = (pick: (result: LoadResult) => number) => median(measured.map(pick))
    console.log(
      `  ${name.padEnd(8)} ratio ${ratio.toFixed(2)}   ${figure(({ perSecond }) => perSecond).toFixed(0)} requests/s   p50 ${figure(({ latencies }) => percentile(latencies, 0.5)).toFixed(2)} ms   p99 ${figure(({ latencies }) => percentile(latencies, 0.99)).toFixed(2)} ms`,
    )
  }
}
