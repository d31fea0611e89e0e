import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { demoAccount } from '@lead-distribution/simulator'
import { inTurns, median, ratioTo, runLoad } from './load.ts'
import { servers } from './servers.ts'
import type { Target } from './target.ts'

const rounds = 5
/** Few enough that a round ends before the server closes idle connections, after 15 s. */
const requests = 5_000
const connections = 32
/** The number of connections opened at once. Any beyond the server's backlog of 511 would wait for a SYN retry. */
const batch = 250
const mebibyte = 1_048_576

/** The number of file descriptors that each process needs for itself. */
const ownFiles = 500

/** Connections that send nothing, and connections that send a byte per second. */
interface Crowd {
  readonly idle: number
  readonly slow: number
}

/**
 * Measures the cost of connections that send nothing or a byte per second: the same server with and without them, in
 * turns.
 */
export async function measureCrowd(): Promise<void> {
  const room = openFiles() - ownFiles
  const slow = Math.min(1_000, Math.floor(room / 11))
  const idle = Math.min(10_000, room - slow)
  await using server = await servers.sandbox()
  console.log(`\nPOST /lead beside a crowd, ${connections} connections, ${rounds} rounds of ${requests}, medians`)
  for (const crowd of [
    { idle, slow: 0 },
    { idle, slow },
  ])
    await compare(server, crowd)
}

async function compare(server: Target, crowd: Crowd): Promise<void> {
  const ways = { alone: { idle: 0, slow: 0 }, beside: crowd }
  const results = await inTurns(ways, { rounds }, async (beside, turn) => {
    const sockets = await open(server.port, beside)
    const before = server.cpuSeconds()
    const label = `${crowd.slow}-${turn}`
    const { perSecond } = await runLoad({ port: server.port, connections, requests, label })
    const figures = { perSecond, cpuSeconds: server.cpuSeconds() - before, mib: server.memory() / mebibyte }
    await close(sockets)
    return figures
  })
  const ratio = ratioTo(results, 'alone', 'beside', ({ perSecond }) => perSecond)
  const cost = ratioTo(results, 'alone', 'beside', ({ cpuSeconds }) => cpuSeconds)
  const memory = median(results.get('beside')?.map(({ mib }) => mib) ?? [])
  console.log(
    `  ${crowd.idle} idle, ${crowd.slow} slow   ratio ${ratio}   CPU time ${cost} times as much as alone   ${memory.toFixed(0)} MiB`,
  )
}

/** Returns the maximum number of file descriptors of this process; the server inherits it. */
function openFiles(): number {
  if (process.platform === 'win32') return 10_000
  const limit = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  return limit === 'unlimited' ? Infinity : Number(limit)
}

/** Opens the connections of a crowd; the slow ones send one byte of their body per second until they are closed. */
async function open(port: number, { idle, slow }: Crowd): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < idle + slow) {
    const opening = Array.from({ length: Math.min(batch, idle + slow - sockets.length) }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      await once(socket, 'connect')
      return socket.on('error', () => undefined).resume()
    })
    sockets.push(...(await Promise.all(opening)))
  }
  for (const socket of sockets.slice(0, slow)) {
    socket.write(
      `POST /api/v1/lead HTTP/1.1\r\nhost: 127.0.0.1\r\napikey: ${demoAccount.publisher_key}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`,
    )
    const timer = setInterval(() => socket.write('{'), 1_000)
    socket.on('close', () => clearInterval(timer))
  }
  return sockets
}

async function close(sockets: readonly Socket[]): Promise<void> {
  await Promise.all(
    sockets.map(async socket => {
      socket.destroy()
      if (!socket.closed) await once(socket, 'close')
    }),
  )
}
