import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request that the server received. */
export interface Reached {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** Responds to one request after reading its body. */
export type Step = (response: ServerResponse, request: Reached) => void

/** Responds with JSON, or with text as is. */
export const replies =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** Resets the connection after reading the request. */
export const resets: Step = response => response.socket?.resetAndDestroy()

/** Sends half of the announced body, then cuts the connection. */
export const cutsBody: Step = response => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '400' })
  response.write('{"lead_id":"', () => response.socket?.destroy())
}

/** Never responds. */
export const stallsHeaders: Step = () => {}

/** Sends the headers and half of the body, then stalls. */
export const stallsBody: Step = response => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"lead_id":"')
}

/**
 * Starts a server on a real socket. It runs the steps in turn and repeats the last one, and closes at the end of the
 * test.
 */
export async function startFaultServer(...steps: [Step, ...Step[]]) {
  const reached: Reached[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    const step = steps[Math.min(reached.length, steps.length - 1)] as Step
    reached.push({ method, url, headers, body })
    step(response, { method, url, headers, body })
  })
  const origin = await listen(server)
  onTestFinished(() => server.closeAllConnections())
  return { origin, baseUrl: `${origin}/api/v1`, reached }
}

/** A submission of an empty lead. */
export const submitCall = {
  name: 'submitLead',
  method: 'POST',
  to: { path: '/lead' },
  body: '{}',
  withKey: true,
} as const

/** Starts a server that resets each connection on its first bytes. */
export async function startResettingServer() {
  let connections = 0
  const server = createTcpServer(socket => {
    connections += 1
    socket.on('error', () => {})
    socket.once('data', () => socket.resetAndDestroy())
  })
  return { baseUrl: `${await listen(server)}/api/v1`, connections: () => connections }
}

/** Returns a base URL that nothing listens on. */
export async function refusedBaseUrl(): Promise<string> {
  const server = createTcpServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return `http://127.0.0.1:${port}/api/v1`
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
