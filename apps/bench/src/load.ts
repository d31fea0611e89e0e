import { connect } from 'node:net'
import { demoAccount } from '@lead-distribution/simulator'
import { usualLead } from './usual-lead.ts'

/** Returns the median: of an even number of values, the upper of the two in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Returns a percentile of ascending values; `share` is between 0 and 1. */
export function percentile(ascending: Float64Array, share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN
}

/** Formats the percentiles of some loads' latencies. */
export function waitsText(latencies: readonly Float64Array[], ...shares: readonly number[]): string {
  const ascending = new Float64Array(latencies.flatMap(each => [...each])).sort()
  const waits = shares.map(share => `p${share * 100} ${percentile(ascending, share).toFixed(1)}`)
  return `${[...waits, `max ${percentile(ascending, 1).toFixed(1)}`].join('   ')} ms`
}

/** The number of turns of each way. Warm-up rounds come first and do not count. */
export interface Rounds {
  readonly rounds: number
  readonly warmUp?: number
}

/**
 * Measures each way once per round, so that other work on the machine affects all of them equally. The order changes
 * each round, so that one way's garbage is not always collected during the same other way. `label` differs in each
 * turn.
 */
export async function inTurns<Way, Figure>(
  ways: Readonly<Record<string, Way>>,
  { rounds, warmUp = 1 }: Rounds,
  measure: (way: Way, label: string) => Figure | Promise<Figure>,
): Promise<Map<string, Figure[]>> {
  const measured = new Map(Object.keys(ways).map(name => [name, [] as Figure[]]))
  for (let round = 0; round < warmUp + rounds; round++)
    for (const [name, way] of ordered(Object.entries(ways), round)) {
      const figure = await measure(way, `${name.replaceAll(/\W+/g, '-')}-${round}`)
      if (round >= warmUp) measured.get(name)?.push(figure)
    }
  return measured
}

function ordered<Item>(items: readonly Item[], round: number): Item[] {
  const start = round % items.length
  const turned = [...items.slice(start), ...items.slice(0, start)]
  return Math.floor(round / items.length) % 2 === 0 ? turned : turned.reverse()
}

/** Returns the median of a way's ratios to a base, each taken within one round. */
export function ratioTo<Figure>(
  measured: ReadonlyMap<string, readonly Figure[]>,
  base: string,
  name: string,
  numberOf: (figure: Figure) => number,
): string {
  const bases = measured.get(base)?.map(numberOf) ?? []
  const ratios = measured.get(name)?.map((figure, round) => numberOf(figure) / (bases[round] ?? Number.NaN))
  return median(ratios ?? []).toFixed(2)
}

/** Calls a function repeatedly, `atOnce` calls at a time. Returns the calls per second. */
export async function ratePerSecond(
  calls: number,
  atOnce: number,
  call: (index: number) => Promise<unknown>,
): Promise<number> {
  let made = 0
  const start = performance.now()
  const worker = async () => {
    while (made < calls) await call(made++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return calls / ((performance.now() - start) / 1000)
}

/** The result of a load. */
export interface LoadResult {
  readonly perSecond: number
  /** Milliseconds, ascending. */
  readonly latencies: Float64Array
}

/** The amount of load and its target, always a server on this machine. */
export interface Load {
  readonly port: number
  readonly connections: number
  readonly requests: number
  /** Keeps this load's email addresses apart from those of other loads. */
  readonly label: string
  /** The path of `POST /lead`. Default: the service's. */
  readonly path?: string
}

/**
 * Sends leads over the given number of connections, one request in flight on each, and measures the latency of each
 * request. Rejects if a response is not a 200: the measurement would be worthless.
 */
export async function runLoad({
  port,
  connections,
  requests,
  label,
  path = '/api/v1/lead',
}: Load): Promise<LoadResult> {
  const latencies = new Float64Array(requests)
  let sent = 0
  let failures = 0
  const start = performance.now()

  const worker = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      let index = 0
      let sentAt = 0
      let received = ''
      const next = () => {
        index = sent++
        if (index >= requests) return void socket.end(resolve)
        const body = JSON.stringify(usualLead(`${label}-${index}@example.com`))
        sentAt = performance.now()
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\napikey: ${demoAccount.publisher_key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        )
      }
      socket.setEncoding('latin1')
      socket.on('data', text => {
        received += text
        const end = received.indexOf('\r\n\r\n')
        if (end < 0) return
        const length = /content-length: (\d+)/i.exec(received)?.[1]
        // A response without a length is chunked.
        if (length === undefined ? !received.endsWith('\r\n0\r\n\r\n') : received.length < end + 4 + Number(length))
          return
        latencies[index] = performance.now() - sentAt
        if (!received.startsWith('HTTP/1.1 200')) failures++
        received = ''
        next()
      })
      socket.on('error', reject)
      socket.on('connect', next)
    })

  await Promise.all(Array.from({ length: connections }, worker))
  const seconds = (performance.now() - start) / 1000
  if (failures > 0) throw new Error(`${failures} of ${requests} leads did not get a 200: ${label}.`)
  return { perSecond: requests / seconds, latencies: latencies.sort() }
}

/** Submits one lead; rejects unless the response is a 200. */
export async function submit(port: number, lead: object, path = '/api/v1/lead'): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { apikey: demoAccount.publisher_key, 'content-type': 'application/json' },
    body: JSON.stringify(lead),
    signal: AbortSignal.timeout(5_000),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The server responded with ${response.status}: ${text}`)
}
