import { once } from 'node:events'
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { launcher } from '../adapters/command-line.ts'
import { emptyDatabase } from '../adapters/every-adapter.ts'
import { freePort } from '../adapters/sockets.ts'

/** Sandboxes behind one address. */
export interface Balanced {
  readonly url: string
  /** How many requests each process was sent. */
  readonly requests: readonly number[]
  close(): Promise<void>
}

/**
 * Starts two processes of the command line over one empty database, behind a balancer that sends each request to the other
 * process than the request before: what one of them did has to hold at once for what the other is asked next.
 */
export function balancedLauncher(): () => Promise<Balanced> {
  const { start } = launcher()
  return async () => {
    const data = await emptyDatabase()
    const ports = [await freePort(), await freePort()]
    const requests = ports.map(() => 0)
    let last = 0
    const agent = new Agent({ keepAlive: false })
    const balancer = createServer((request, response) => {
      last = (last + 1) % ports.length
      requests[last] = (requests[last] ?? 0) + 1
      passOn(request, response, { agent, host: '127.0.0.1', port: ports[last] })
    }).listen(0, '127.0.0.1')
    await once(balancer, 'listening')
    const url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`
    const options = ['--data', data, '--public-url', url, '--log-level', 'warn']
    const started = await Promise.all(ports.map(port => start('--port', String(port), ...options)))
    return {
      url,
      requests,
      async close() {
        for (const { child } of started) child.kill('SIGTERM')
        await Promise.all(started.map(({ exit }) => exit))
        balancer.closeAllConnections()
        balancer.close()
        await once(balancer, 'close')
      },
    }
  }
}

/** Sends a request on, and what comes back. What the sandbox cuts is cut for the caller, and the other way round. */
function passOn(request: IncomingMessage, response: ServerResponse, to: object): void {
  const outgoing = httpRequest({ ...to, method: request.method, path: request.url, headers: request.rawHeaders })
  outgoing.on('response', incoming => {
    response.writeHead(incoming.statusCode ?? 0, incoming.rawHeaders)
    pipeline(incoming, response, () => undefined)
  })
  outgoing.on('error', () => request.socket.resetAndDestroy())
  response.on('close', () => outgoing.destroy())
  request.pipe(outgoing)
}
