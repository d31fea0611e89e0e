import { inTurns, median, percentile, ratioTo, runLoad } from './load.ts'
import { servers } from './servers.ts'

const rounds = 7
const requests = 5_000
const connections = 32

/**
 * Measures `POST /lead`, each with a new address, to servers that store nothing, to servers that store it on disk, and
 * to the sandbox.
 */
export async function measureHotPath(): Promise<void> {
  console.log(`\nPOST /lead, ${connections} connections, ${rounds} rounds of ${requests} requests, medians`)
  await using bare = await servers.bare()
  await using express = await servers.express()
  await using durable = await servers['durable-http']()
  await using durableExpress = await servers['durable-express']()
  await using sandbox = await servers.sandbox()
  const measured = { bare, express, 'durable-http': durable, 'durable-express': durableExpress, sandbox }
  const results = await inTurns(measured, { rounds }, ({ port }, label) =>
    runLoad({ port, connections, requests, label }),
  )
  for (const [name, measured] of results) {
    const ratio = ratioTo(results, 'bare', name, ({ perSecond }) => perSecond)
    const toDurable = ratioTo(results, 'durable-http', name, ({ perSecond }) => perSecond)
    const rate = median(measured.map(({ perSecond }) => perSecond))
    const [p50, p99] = [0.5, 0.99].map(share => median(measured.map(each => percentile(each.latencies, share))))
    console.log(
      `  ${name.padEnd(15)} ratio ${ratio}, to durable-http ${toDurable}   ${rate.toFixed(0)} requests/s   p50 ${p50?.toFixed(2)} ms   p99 ${p99?.toFixed(2)} ms`,
    )
  }
}
