import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { demoAccount } from '@lead-distribution/simulator'
import { median, runLoad } from './load.ts'
import { servers } from './servers.ts'

const rounds = 5
/** Few enough that a round is over before the server closes idle connections, after 15 s. */
const requests = 5_000
const connections = 32
/** Opened at once; more than the server's backlog of 511 would wait to try again. */
const batch = 250
const mebibyte = 1_048_576

/** What either process needs for itself, open files. */
const ownFiles = 500

/**
 * What connections cost that send nothing, or a byte a second: the rate of one server, with the crowd and without it in
 * each round, in turns which comes first.
 */
export async function measureCrowd(): Promise<void> {
  const room = openFiles() - ownFiles
  const slow = Math.min(1_000, Math.floor(room / 11))
  const idle = Math.min(10_000, room - slow)
  const crowds = [{ idle }, { idle, slow }]
  const server = await servers.sandbox()
  const { port } = server
  console.log(`\nPOST /lead beside a crowd, ${connections} connections, ${rounds} rounds of ${requests}, medians`)
  try {
    await runLoad({ port, connections, requests, label: 'warm-up' })
    for (const [kind, crowd] of crowds.entries()) {
      const ratios: number[] = []
      const memory: number[] = []
      for (let round = 0; round < rounds; round++) {
        const rate = async (beside: boolean) => {
          const sockets = beside ? await open(port, crowd) : []
          const label = `${kind}-${round}-${beside}`
          const result = await runLoad({ port, connections, requests, label })
          if (result.failures > 0) throw new Error(`The sandbox refused ${result.failures} of ${requests} requests.`)
          if (beside) memory.push(server.memory() / mebibyte)
          await close(sockets)
          return result.perSecond
        }
        const [first, second] = [await rate(round % 2 === 0), await rate(round % 2 !== 0)]
        ratios.push(round % 2 === 0 ? first / second : second / first)
      }
      const { idle, slow = 0 } = crowd
      console.log(
        `  ${idle} idle, ${slow} slow   ratio ${median(ratios).toFixed(2)}   (${ratios.map(ratio => ratio.toFixed(2)).join(' ')})   ${median(memory).toFixed(0)} MiB`,
      )
    }
  } finally {
    await server.stop()
  }
}

/** How many files this process may have open; the server inherits it. */
function openFiles(): number {
  if (process.platform === 'win32') return 10_000
  const limit = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  return limit === 'unlimited' ? Infinity : Number(limit)
}

/** Opens the connections of a crowd; the slow ones send a byte of their body a second until they are closed. */
async function open(port: number, { idle, slow = 0 }: { idle: number; slow?: number }): Promise<Socket[]> {
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
