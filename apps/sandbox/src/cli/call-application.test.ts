import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { createNodeDialer, type Resolve } from '../dialer/node-dialer.ts'
import { listening } from '../listening.fixture.ts'
import { createApplicationCaller } from './call-application.ts'

/** Starts an application on this machine, and records the paths of the requests that it receives. */
async function openApplication() {
  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(request.url ?? '')
    if (request.url === '/cut') return request.socket.destroy()
    response.writeHead(request.url === '/moved' ? 302 : 204, { location: '/cut' }).end()
  })
  return { origin: await listening(server), heard }
}

it.each([
  ['/', 204],
  ['/moved', 302],
  ['/cut', 0],
])('resolves to the status of %s: %i, without following redirects; 0 means no response', async (path, status) => {
  const { origin, heard } = await openApplication()
  expect(await createApplicationCaller([])({ url: `${origin}${path}`, method: 'GET' })).toBe(status)
  expect(heard).toEqual([path])
})

it.each(['http://example.com/', 'http://169.254.169.254/'])('never contacts %s', async url => {
  const call = createApplicationCaller(['169.254.169.254'])
  await expect(call({ url, method: 'GET' })).rejects.toThrow('The URL of the application')
})

it('never contacts a forbidden address behind an allowed host name', async () => {
  const { origin, heard } = await openApplication()
  const resolve = (_hostname: string, _options: object, found: (error: null, addresses: object[]) => void) =>
    found(null, [{ address: '127.0.0.1', family: 4 }])
  const call = createApplicationCaller(['qa.example'], createNodeDialer({ resolve: resolve as unknown as Resolve }))
  const url = `http://qa.example:${new URL(origin).port}/`
  expect([await call({ url, method: 'POST', body: '{}' }), heard]).toEqual([0, []])
})
