import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { root } from '../architecture/root.ts'
import { injected, lead } from './injected.fixture.ts'
import { replies } from './steps.fixture.ts'
import { listening, refusedBaseUrl, startWireServer } from './wire-server.fixture.ts'

const program = (baseUrl: string) => `
  import { createPublisher } from '@lead-distribution/publisher-sdk'
  const publisher = createPublisher({ baseUrl: '${baseUrl}', environment: 'sandbox', backOff: { firstMs: 1 } })
  const { code, sent, meta } = await publisher.submit(${JSON.stringify(lead)}).catch(error => error)
  console.log(JSON.stringify([code, sent, meta.attempts]))`

/** The result of a submission by another process, which is set to use a proxy. */
async function submitThrough(proxy: string, baseUrl: string) {
  const proxied = {
    HTTPS_PROXY: proxy,
    https_proxy: proxy,
    HTTP_PROXY: proxy,
    http_proxy: proxy,
    NO_PROXY: '',
    no_proxy: '',
  }
  const node = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program(baseUrl)], {
    cwd: `${root}/apps/e2e`,
    env: { ...process.env, ...proxied, NODE_USE_ENV_PROXY: '1', LEAD_PUBLISHER_API_KEY: injected.key },
    timeout: 20_000,
  })
  return JSON.parse((await node).stdout)
}

it('takes a proxy that refuses to connect as never having reached the service', { timeout: 30_000 }, async () => {
  const asked: string[] = []
  const proxy = createServer(socket => {
    socket.on('error', () => undefined)
    socket.once('data', data => {
      asked.push(data.toString('latin1'))
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    })
  })
  expect(await submitThrough(await listening(proxy), 'https://acme.example.com/api/v1')).toEqual(['not_sent', 'no', 3])
  expect(asked.map(text => text.split('\r\n')[0])).toEqual(Array(3).fill('CONNECT acme.example.com:443 HTTP/1.1'))
  expect(asked.join()).not.toContain(injected.key)
})

it('takes a proxy that is not there as never having reached the service', { timeout: 30_000 }, async () => {
  const server = await startWireServer(replies(200, { lead_id: 'l', status: 'new' }))
  const { origin } = new URL(await refusedBaseUrl())
  expect(await submitThrough(origin, server.baseUrl)).toEqual(['not_sent', 'no', 3])
  expect(server.connections()).toBe(0)
})
