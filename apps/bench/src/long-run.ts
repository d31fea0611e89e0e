import { type LoadResult, percentile, runLoad } from './load.ts'
import { type ServerName, servers } from './servers.ts'

const slices = 20
const connections = 32
/** A wait that a user would notice, milliseconds. */
const longMs = 25
const mebibyte = 1_048_576

/**
 * So many leads at full load: whether a sandbox that has many is slower or larger than one that has few, and how long
 * the slowest waited. A bare server takes turns with it, for what else the machine does.
 */
export async function measureLongRun(leads: number): Promise<void> {
  const slice = Math.round(leads / slices)
  const targets = { bare: await servers.bare(), sandbox: await servers.sandbox() }
  const results: Record<keyof typeof targets, LoadResult[]> = { bare: [], sandbox: [] }
  const memory: number[] = []
  console.log(`\n${leads.toLocaleString('en')} leads, ${connections} connections, in slices`)
  try {
    for (let index = 0; index < slices; index++) {
      for (const name of ['bare', 'sandbox'] as const) {
        const { port } = targets[name]
        const result = await runLoad({ connections, requests: slice, label: `slice-${index}`, port })
        if (result.failures > 0) throw new Error(`${name} refused ${result.failures} of ${slice} requests.`)
        results[name].push(result)
      }
      memory.push(targets.sandbox.memory() / mebibyte)
      printSlice((index + 1) * slice, results, memory[index] ?? Number.NaN)
    }
    await measureLookUps(targets.sandbox.port)
  } finally {
    for (const target of Object.values(targets)) await target.stop()
  }
  for (const [name, measured] of Object.entries(results)) printAll(name as ServerName, measured)
}

/** Searches of the control plane that find nothing, or little in a lot: they are slow where no index serves them. */
const lookUps = [
  'leads',
  'leads?email=slice-0-7@example.com',
  'leads?email=nobody@example.com',
  'leads?status=rejected',
  'leads?status=distributed&email=slice-9-7@example.com',
  'callbacks?state=failed',
  'requests?status=5xx',
]

async function measureLookUps(port: number): Promise<void> {
  for (const path of lookUps) {
    const start = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}/_sandbox/v1/tenants/demo/${path}`)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}.`)
    console.log(`  GET ${path.padEnd(54)} ${(performance.now() - start).toFixed(1)} ms`)
  }
}

function printSlice(leads: number, { bare, sandbox }: Record<'bare' | 'sandbox', LoadResult[]>, mib: number): void {
  const [ours, theirs] = [sandbox.at(-1), bare.at(-1)]
  if (!ours || !theirs) return
  console.log(
    `  ${leads.toLocaleString('en').padStart(9)}   ratio ${(ours.perSecond / theirs.perSecond).toFixed(2)}   ${ours.perSecond.toFixed(0)} requests/s   ${waits(ours.latencies)}   ${mib.toFixed(0)} MiB`,
  )
}

function printAll(name: ServerName, measured: readonly LoadResult[]): void {
  const latencies = new Float64Array(measured.flatMap(result => [...result.latencies])).sort()
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)]
  const long = latencies.length - latencies.findLastIndex(ms => ms <= longMs) - 1
  console.log(
    `  ${name.padEnd(8)} ${waits(latencies)}   p99 is ${(p99 / p50).toFixed(1)} times p50   ${long} waits above ${longMs} ms`,
  )
}

function waits(latencies: Float64Array): string {
  const at = (share: number) => percentile(latencies, share).toFixed(1)
  return `p50 ${at(0.5)}   p99 ${at(0.99)}   p99.9 ${at(0.999)}   max ${at(1)} ms`
}
