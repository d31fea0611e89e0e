import { once } from 'node:events'
import { connect } from 'node:net'
import { startServer } from '@lead-distribution/sandbox'
import { expect, it } from 'vitest'

it('answers a sender that never finishes its request 408, closes the connection and serves others on', async () => {
  const server = await startServer({ port: 0, logLevel: 'silent', requestTimeoutMs: 200 })
  try {
    const { port } = new URL(server.url)
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
    let reply = ''
    socket.on('data', text => {
      reply += text
    })
    socket.write('POST /api/v1/lead HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n{')
    await once(socket, 'close')
    expect(reply).toMatch(/^HTTP\/1\.1 408 /)
    expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n') + 4))).toMatchObject({ error: 'request_timeout' })
    expect((await fetch(`${server.url}/_sandbox/health`)).status).toBe(200)
  } finally {
    await server.close()
  }
})
