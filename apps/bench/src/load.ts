import { connect } from 'node:net'
import { demoAccount } from '@lead-distribution/simulator'
import { usualLead } from './usual-lead.ts'

/** The middle of the values; of an even number the upper one of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

const orders = ['012', '210', '102', '201', '021', '120'].map(order => [...order].map(Number))

/**
 * Three ways in the order of a round. Every order has its turn: what one way leaves behind to collect meets the others
 * alike.
 */
export function inTurn<Way>(ways: readonly Way[], round: number): Way[] {
  return (orders.at(round % orders.length) ?? []).map(index => ways[index] as Way)
}

/** The result of a load. */
export interface LoadResult {
  readonly requests: number
  readonly perSecond: number
  /** The durations, ascending, milliseconds. */
  readonly latencies: Float64Array
  /** Replies that were not 200: a measurement with any of them is worth nothing. */
  readonly failures: number
}

/** The value that this share of the ascending values does not exceed. */
export function percentile(ascending: Float64Array, share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN
}

/** The amount of load, and its target: always a server on this machine. */
export interface Load {
  readonly port: number
  readonly connections: number
  readonly requests: number
  /** Makes the e-mail addresses of this load its own. */
  readonly label: string
  /** The path of `POST /lead`. Default: that of the service. */
  readonly path?: string
}

/** Sends leads over so many connections, on each the next when the reply is there, and measures every one. */
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
        // Without a length it is chunked.
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
  latencies.sort()
  return { requests, perSecond: requests / seconds, latencies, failures }
}
