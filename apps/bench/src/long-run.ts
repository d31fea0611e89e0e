import { inTurns, type LoadResult, percentile, runLoad, waitsText } from './load.ts'
import { servers } from './servers.ts'

const slices = 20
const connections = 32
/** A latency that a user would notice, milliseconds. */
const longMs = 25
const mebibyte = 1_048_576

/**
 * Submits many leads at full load, and measures rate, latency and memory as the number of stored leads grows. A bare
 * server takes turns with the sandbox, to account for other work on the machine.
 */
export async function measureLongRun(leads: number): Promise<void> {
  const slice = Math.round(leads / slices)
  await using bare = await servers.bare()
  await using sandbox = await servers.sandbox()
  console.log(`\n${leads.toLocaleString('en')} leads, ${connections} connections, in slices`)
  const results = await inTurns({ bare, sandbox }, { rounds: slices, warmUp: 0 }, async ({ port, memory }, label) => {
    const result = await runLoad({ connections, requests: slice, label, port })
    return { ...result, mib: memory() / mebibyte }
  })
  const [bases = [], ours = []] = [...results.values()]
  for (const [index, { perSecond, latencies, mib }] of ours.entries()) {
    const count = ((index + 1) * slice).toLocaleString('en').padStart(9)
    const ratio = perSecond / (bases[index]?.perSecond ?? Number.NaN)
    const waits = waitsText([latencies], 0.5, 0.99, 0.999)
    console.log(
      `  ${count}   ratio ${ratio.toFixed(2)}   ${perSecond.toFixed(0)} requests/s   ${waits}   ${mib.toFixed(0)} MiB`,
    )
  }
  await measureLookUps(sandbox.port)
  for (const [name, measured] of results) printAll(name, measured)
}

/** Searches on the control plane with few results or none: slow without an index. */
const lookUps = [
  'leads',
  'leads?email=sandbox-0-7@example.com',
  'leads?email=nobody@example.com',
  'leads?status=rejected',
  'leads?status=distributed&email=sandbox-9-7@example.com',
  'callbacks?state=failed',
  'requests?status=5xx',
]

async function measureLookUps(port: number): Promise<void> {
  for (const path of lookUps) {
    const start = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}/_sandbox/v1/tenants/demo/${path}`)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`GET ${path} got ${response.status}.`)
    console.log(`  GET ${path.padEnd(54)} ${(performance.now() - start).toFixed(1)} ms`)
  }
}

function printAll(name: string, measured: readonly LoadResult[]): void {
  const latencies = new Float64Array(measured.flatMap(result => [...result.latencies])).sort()
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)]
  const long = latencies.length - latencies.findLastIndex(ms => ms <= longMs) - 1
  console.log(
    `  ${name.padEnd(8)} ${waitsText([latencies], 0.5, 0.99, 0.999)}   p99 is ${(p99 / p50).toFixed(1)} times p50   ${long} above ${longMs} ms`,
  )
}
