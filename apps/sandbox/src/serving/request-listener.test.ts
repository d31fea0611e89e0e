import { once } from 'node:events'
import { createServer, get, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { HttpResponse } from '@lead-distribution/http'
import express from 'express'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createSandboxRouter } from '../express/sandbox-router.ts'
import { listening } from '../listening.fixture.ts'
import { startServer } from '../server.ts'
import { watchConnections } from './connections.ts'
import { createEventStreams } from './event-streams.ts'
import { createUploads, uploadLimits } from './limits.ts'
import { createRequestListener } from './request-listener.ts'
import { refuseHead } from './unread-requests.ts'

const path = '/_sandbox/v1/tenants/demo/events'

/** Resolves to the response to a GET as soon as its headers arrive. */
async function open(url: string): Promise<IncomingMessage> {
  const request = get(url, { agent: false })
  request.on('error', () => undefined)
  const [response] = await once(request, 'response')
  return response
}

/** Opens a stream and reads its first event. */
async function begun(url: string) {
  const response = await open(url)
  const [first] = await once(response, 'data')
  expect(String(first)).toMatch(/^id: .*\nevent: ready\n/)
  return response
}

describe('a stream', () => {
  it('ends completely when its server closes, without delaying it', async () => {
    const server = await startServer({ port: 0, logLevel: 'silent', closeGraceMs: 600_000 })
    const streams = [await begun(`${server.url}${path}`), await begun(`${server.url}/_sandbox/v1/events`)]
    expect(streams.map(({ headers }) => [headers.connection, headers['content-length']])).toEqual([
      ['close', undefined],
      ['close', undefined],
    ])
    const rest = streams.map(text)
    await server.close()
    expect(await Promise.all(rest)).toEqual(['', ''])
    expect(streams.map(({ complete }) => complete)).toEqual([true, true])
  })

  it('ends when a mounted router closes, which opens no more', async () => {
    const router = createSandboxRouter({ logLevel: 'silent' })
    const url = (await listening(createServer(express().use(router)))) + path
    const rest = text(await begun(url))
    await router.close()
    expect(await rest).toBe('')
    expect((await fetch(url)).status).toBe(503)
  })

  it('is limited to a hundred; one that its reader leaves frees its place', async () => {
    const server = await startServer({ port: 0, logLevel: 'silent' })
    onTestFinished(() => server.close())
    const url = `${server.url}${path}`
    const streams = await Promise.all(Array.from({ length: 100 }, () => begun(url)))
    const refused = await fetch(url)
    expect([refused.status, (await refused.json()).error]).toEqual([429, 'too_many_requests'])
    for (const stream of streams) stream.destroy()
    await expect.poll(async () => (await open(url)).statusCode).toBe(200)
  })
})

/** Starts a server that sends an endless stream as fast as it is read. */
async function serveEndless(stalledMs = 600_000) {
  const streams = createEventStreams({ stalledMs })
  const left = Promise.withResolvers<void>()
  let pieces = 0
  const endless = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        pieces += 1
        // Yields to other work, as a channel does.
        await new Promise(resolve => setImmediate(resolve))
        return { done: false as const, value: 'x'.repeat(65_536) }
      },
      async return() {
        left.resolve()
        return { done: true as const, value: undefined }
      },
    }),
  }
  const server = createServer((_, response) => void streams.send(response, { status: 200, headers: {} }, endless))
  const url = await listening(server)
  return { url, streams, pieces: () => pieces, left: left.promise }
}

/** Waits until no more chunks are requested for a hundred turns of the event loop. */
async function stalled(pieces: () => number): Promise<number> {
  for (let same = 0, last = -1; ; last = pieces()) {
    same = pieces() === last ? same + 1 : 0
    if (same === 100) return last
    await new Promise(resolve => setTimeout(resolve, 1))
  }
}

it('stops if its reader disconnected before it began', async () => {
  const left = Promise.withResolvers<void>()
  const stream = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false as const, value: 'x' }),
      async return() {
        left.resolve()
        return { done: true as const, value: undefined }
      },
    }),
  }
  const server = createServer(async (_, response) => {
    await once(response, 'close')
    await createEventStreams().send(response, { status: 200, headers: {} }, stream)
  })
  const request = get(await listening(server), { agent: false })
  request.on('error', () => undefined)
  await once(request, 'finish')
  request.destroy()
  await expect(left.promise).resolves.toBeUndefined()
})

describe('a stalled reader', () => {
  it('gets only what its connection buffers, and continues where it stopped', async () => {
    const { url, pieces, left } = await serveEndless()
    const response = await open(url)
    const held = await stalled(pieces)
    expect(held * 65_536).toBeLessThan(64 * 1_048_576)
    const taken = once(response, 'data')
    await taken
    await expect.poll(pieces).toBeGreaterThan(held)
    response.destroy()
    await left
  })

  it('is disconnected when the sandbox closes', async () => {
    const { url, pieces, streams, left } = await serveEndless()
    const response = await open(url)
    await stalled(pieces)
    response.on('error', () => undefined)
    streams.cut()
    await expect(left).resolves.toBeUndefined()
  })

  it('is disconnected after a while', async () => {
    const { url, left } = await serveEndless(20)
    const response = await open(url)
    response.on('error', () => undefined)
    await expect(left).resolves.toBeUndefined()
  })
})

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** Starts a server that sends this response to every request, and records the requests. */
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
    refuse: refuseHead,
    page: () => undefined,
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
      outgoing.on('response', response => resolve(`responded ${response.resume().statusCode}`))
    })
    outgoing.end('whole')
    return failure
  }
  return { asked, arrived: arrived.promise, close, post }
}

describe.each(['/api/v1/lead', '/_sandbox/v1/tenants'])('a broken response to %s', path => {
  it('is a reset connection after the request was handled', async () => {
    const { post, asked } = await serve({ broken: 'cut' })
    expect([await post(path), asked]).toEqual(['ECONNRESET', [`${path} whole`]])
  })

  it('is withheld until the client disconnects, without delaying a shutdown', async () => {
    const { post, arrived, asked, close } = await serve({ broken: 'withheld' })
    const failure = post(path)
    await arrived
    await new Promise(resolve => setImmediate(resolve))
    await close()
    expect([await failure, asked]).toEqual(['ECONNRESET', [`${path} whole`]])
  })

  it('is complete if nothing breaks it', async () => {
    const { post } = await serve({})
    expect(await post(path)).toBe('responded 200')
  })
})
