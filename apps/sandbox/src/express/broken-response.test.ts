import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HttpResponse } from '@lead-distribution/http'
import { afterEach, describe, expect, it } from 'vitest'
import { watchConnections } from './connections.ts'
import { createEventStreams } from './event-streams.ts'
import { createRequestListener } from './request-listener.ts'
import { createUploads, uploadLimits } from './uploads.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A server that answers every request with this response, and everything that it was asked. */
async function serve(result: Partial<HttpResponse>) {
  const asked: string[] = []
  const arrived = Promise.withResolvers<void>()
  let closing = false
  const listener = createRequestListener({
    async handle({ target, body }) {
      const bytes = typeof body === 'function' ? await body(1_000) : body
      asked.push(`${target} ${bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : ''}`)
      arrived.resolve()
      return { status: 200, headers: {}, body: '{}', ...result }
    },
    streams: createEventStreams(),
    uploads: createUploads(uploadLimits),
    onError: error => expect.fail(String(error)),
    isClosing: () => closing,
    responseMs: 60_000,
  })
  const server = createServer(listener)
  const connections = watchConnections(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = async () => {
    closing = true
    const closed = once(server, 'close')
    server.close()
    connections.drain(0)
    await closed
  }
  closers.push(() => (server.listening ? close() : Promise.resolve()))
  const { port } = server.address() as AddressInfo
  const post = (path: string) => {
    const outgoing = request({ port, path, method: 'POST' })
    const failure = new Promise<string>(resolve => {
      outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
      outgoing.on('response', response => resolve(`answered ${response.resume().statusCode}`))
    })
    outgoing.end('whole')
    return failure
  }
  return { asked, arrived: arrived.promise, close, post }
}

describe.each(['/api/v1/lead', '/_sandbox/v1/tenants'])('a broken response to %s', path => {
  it('is a connection that is reset once the request was handled', async () => {
    const { post, asked } = await serve({ broken: 'cut' })
    expect([await post(path), asked]).toEqual(['ECONNRESET', [`${path} whole`]])
  })

  it('is withheld until the sender gives up, and keeps no server from closing', async () => {
    const { post, arrived, asked, close } = await serve({ broken: 'withheld' })
    const failure = post(path)
    await arrived
    await new Promise(resolve => setImmediate(resolve))
    await close()
    expect([await failure, asked]).toEqual(['ECONNRESET', [`${path} whole`]])
  })

  it('is a whole one where nothing breaks it', async () => {
    const { post } = await serve({})
    expect(await post(path)).toBe('answered 200')
  })
})
