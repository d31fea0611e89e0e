import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { listening } from './listening.fixture.ts'
import { startServer } from './server.ts'
import { watchConnections } from './serving/connections.ts'

it('responds to a request that arrived while the process was blocked for longer than the idle timeout', async () => {
  const server = createServer((_request, response) => response.end('answered'))
  const connections = watchConnections(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let received = ''
  client.on('data', data => {
    received += data
  })
  const ask = () => client.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
  ask()
  await expect.poll(() => received).toContain('answered')
  received = ''

  connections.drain(200)
  // Timers run first afterward, and then the request is read.
  await setImmediate()
  ask()
  // Blocks the server while the request waits in the system.
  const end = performance.now() + 500
  while (performance.now() < end);

  await once(client, 'close')
  expect(received).toContain('answered')
})

it('makes a request that arrives before the sandbox is open wait', async () => {
  const free = createServer()
  const origin = await listening(free)
  await once(free.close(), 'close')
  const tenants = Array.from({ length: 200 }, (_, number) => ({ name: `tenant-${number}` }))
  const starting = startServer({ port: Number(new URL(origin).port), logLevel: 'silent', configuration: { tenants } })
  const first = async (): Promise<Response> =>
    fetch(`${origin}/_sandbox/v1/tenants/tenant-199`).catch(async () => {
      await setImmediate()
      return first()
    })
  const [response, server] = await Promise.all([first(), starting])
  onTestFinished(() => server.close())
  expect(response.status).toBe(200)
})

it('releases a closed server and its sandbox for garbage collection', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  /** The server's own callback is reachable as long as the server or the sandbox is. */
  const closed = async () => {
    const onRequest = () => undefined
    const server = await startServer({ port: 0, logLevel: 'silent', onRequest })
    await (await fetch(`${server.url}/api/v1/lead`, { method: 'POST', headers: { connection: 'close' } })).text()
    await server.close()
    return new WeakRef(onRequest)
  }
  const servers = [await closed(), await closed(), await closed()]
  const freed = () => {
    collect()
    return servers.filter(server => server.deref() === undefined).length
  }
  await expect.poll(freed, { timeout: 20_000 }).toBe(3)
})

it.each([
  ['by default', {}, 'masked'],
  ['that allows full bodies', { keepsFullRequests: true }, 'full'],
  ['with an admin token', { keepsFullRequests: true, adminToken: 'T0ken-of-the-operator' }, 'masked'],
  [
    'behind a public URL',
    { keepsFullRequests: true, adminToken: 'T0ken-of-the-operator', publicUrl: 'http://qa.example' },
    'masked',
  ],
] as const)('starts with a demo tenant that %s stores bodies %j: %s', async (_title, options, kept) => {
  const server = await startServer({ port: 0, logLevel: 'silent', ...options })
  onTestFinished(() => server.close())
  expect(server.account().settings.journal_bodies).toBe(kept)
})
