import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signCallback } from '@lead-distribution/sdk-core/callbacks'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type CallbackEvent, type CallbackReceiver, createCallbackReceiver, createCallbackUrl } from '../callbacks.ts'
import { expressCallbacks } from '../express.ts'
import { nodeCallbacks } from '../node.ts'

const doors = {
  'node:http': (receive: CallbackReceiver) => createServer(nodeCallbacks(receive)),
  Express: (receive: CallbackReceiver) =>
    createServer(express().use('/callbacks', express.json(), expressCallbacks(receive))),
}
const query = '?lead_id=3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11&event=loan_issued'

describe.each(Object.entries(doors))('%s', (_name, door) => {
  async function open(receive: CallbackReceiver): Promise<string> {
    const server = door(receive)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** A raw request: fetch would rewrite the target, and refuses the method TRACE. */
  const status = (origin: string, method: string, path: string, headers: Record<string, string> = {}) => {
    const { hostname, port } = new URL(origin)
    return new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest({ hostname, port, method, path, headers }, response => {
        response.resume()
        resolve(response.statusCode)
      })
      request.on('error', reject).end()
    })
  }

  it('hands callbacks over, and the replies back', async () => {
    const { url, secret } = createCallbackUrl('http://127.0.0.1/callbacks')
    const handled: CallbackEvent[] = []
    const allowedIps = ['127.0.0.1']
    const handle = (event: CallbackEvent) => void handled.push(event)
    const origin = await open(createCallbackReceiver({ verify: { urlSecrets: [secret] }, handle, allowedIps }))
    const path = new URL(url).pathname + query
    const response = await fetch(origin + path)
    expect([response.status, await response.json()]).toEqual([200, { status: 'received' }])
    expect(handled).toHaveLength(1)
    for (const method of ['HEAD', 'POST', 'TRACE', 'OPTIONS']) expect(await status(origin, method, path)).toBe(405)
    expect(await status(origin, 'GET', `/callbacks//evil.example/${query}`)).toBe(404)
    expect(await status(origin, 'GET', path.replace('/callbacks/', '/callbacks%2F'))).toBe(404)
  })

  it('reads a target that a proxy wrote as a whole URL, and believes no host in it', async () => {
    const { url, secret } = createCallbackUrl('http://127.0.0.1/callbacks')
    const handle = vi.fn()
    const origin = await open(createCallbackReceiver({ verify: { urlSecrets: [secret] }, handle }))
    const path = new URL(url).pathname + query
    expect(await status(origin, 'GET', `http://evil.example${path}`)).toBe(200)
    expect(handle).toHaveBeenCalledTimes(1)
    expect(await status(origin, 'GET', `http://evil.example/callbacks/wrong${query}`)).toBe(404)
  })

  it('verifies signatures over the path as it came, the mount path included', async () => {
    const secret = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`
    const origin = await open(
      createCallbackReceiver({ verify: { signature: { secrets: [secret] } }, handle: () => {} }),
    )
    const target = `/callbacks/it's${query}`
    const timestamp = String(Math.floor(Date.now() / 1000))
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': await signCallback({ secret, id: 'msg_1', timestamp, target }),
    }
    expect(await status(origin, 'GET', target, headers)).toBe(200)
    expect(await status(origin, 'GET', `http://proxy.example${target}`, headers)).toBe(200)
    expect(await status(origin, 'GET', `${target}&more=1`, headers)).toBe(401)
  })
})
