import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callApplication } from './call-application.ts'

const server = createServer((request, response) => {
  if (request.url === '/cut') return request.socket.destroy()
  response.writeHead(request.url === '/moved' ? 302 : 204, { location: '/cut' }).end()
})
let origin = ''
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

it.each([
  ['/', 204],
  ['/moved', 302],
  ['/cut', 0],
])('answers the status of %s, follows no redirect, and 0 is no answer: %i', async (path, status) => {
  expect((await callApplication({ url: `${origin}${path}`, allowedHosts: [] })).status).toBe(status)
})

it.each(['http://example.com/', 'http://169.254.169.254/'])('never calls %s', async url => {
  await expect(callApplication({ url, allowedHosts: ['169.254.169.254'] })).rejects.toThrow(
    'The URL of the application',
  )
})
