import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ok, openListener } from './listener.fixture.ts'
import { createNodeDialer } from './node-dialer.ts'

const dialer = createNodeDialer()
const dialOf = (port: number, change: object = {}) => ({
  url: `http://127.0.0.1:${port}/cb?lead_id=l&event=approved`,
  headers: {},
  timeoutMs: 5_000,
  refuseAddress: () => undefined,
  ...change,
})

/** Responds and keeps the connection open. */
const answerAndStay = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')

/** Writes a text repeatedly while the peer reads; returns the number of bytes accepted. */
function writeForEver(socket: Socket, text: string): { written: number } {
  const count = { written: 0 }
  const write = () => {
    if (socket.destroyed) return
    count.written += text.length
    socket.write(text, () => setImmediate(write))
  }
  write()
  return count
}

describe('a callback on the wire', () => {
  it('consists of exactly these bytes', async () => {
    await using receiver = await openListener()
    expect(await dialer.get(dialOf(receiver.port))).toMatchObject({ status: 200 })
    expect(receiver.heard).toEqual([
      [
        'GET /cb?lead_id=l&event=approved HTTP/1.1',
        'user-agent: lead-sandbox',
        `Host: 127.0.0.1:${receiver.port}`,
        'Connection: keep-alive',
        '\r\n',
      ].join('\r\n'),
    ])
  })

  it('consists of exactly these bytes for a lead posted to a back end, on its own connection', async () => {
    await using receiver = await openListener()
    const json = '{"lead_id":"l","name":"ñ"}'
    const { headers: _, ...dial } = dialOf(receiver.port)
    for (let nth = 0; nth < 2; nth++) expect(await dialer.post({ ...dial, json })).toEqual({ status: 200 })
    const head = [
      'POST /cb?lead_id=l&event=approved HTTP/1.1',
      'content-type: application/json',
      'content-length: 27',
      'user-agent: lead-sandbox',
      `Host: 127.0.0.1:${receiver.port}`,
      'Connection: close',
    ]
    expect(receiver.heard.map(each => Buffer.from(each, 'latin1').toString())).toEqual([
      `${head.join('\r\n')}\r\n\r\n${json}`,
      `${head.join('\r\n')}\r\n\r\n${json}`,
    ])
    const refuseAddress = () => 'no'
    expect(await dialer.post({ ...dial, json, refuseAddress })).toEqual({ error: 'not sent: no' })
    expect(receiver.heard).toHaveLength(2)
  })

  it('does not follow redirects', async () => {
    await using trap = await openListener()
    const location = `http://127.0.0.1:${trap.port}/`
    await using receiver = await openListener(
      socket => void socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
    )
    expect(await dialer.get(dialOf(receiver.port))).toMatchObject({ status: 302 })
    expect(trap.heard).toEqual([])
  })

  it('ignores proxies in the environment', async () => {
    await using proxy = await openListener()
    await using receiver = await openListener()
    const code = `
      import { createNodeDialer } from ${JSON.stringify(new URL('./node-dialer.ts', import.meta.url).href)}
      const dial = ${JSON.stringify(dialOf(receiver.port))}
      console.log(JSON.stringify(await createNodeDialer().get({ ...dial, refuseAddress: () => undefined })))`
    const url = `http://127.0.0.1:${proxy.port}`
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: url, http_proxy: url, HTTPS_PROXY: url, NO_PROXY: '' }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env })
    expect(JSON.parse(stdout)).toMatchObject({ status: 200 })
    expect([proxy.heard, receiver.heard.length]).toEqual([[], 1])
  })
})

describe('a connection', () => {
  it('is reused, even by another callback to the same receiver', async () => {
    await using receiver = await openListener(answerAndStay)
    for (let n = 0; n < 3; n++) expect(await dialer.get(dialOf(receiver.port))).toMatchObject({ status: 200 })
    expect(receiver.heard.map(text => text.split('GET').length - 1)).toEqual([3])
  })

  it('is reopened if the receiver closed it meanwhile, without a failed attempt', async () => {
    let closing: Socket | undefined
    await using receiver = await openListener(socket => {
      // The second request finds the connection closed without notice by the receiver.
      if (closing === socket) return void socket.destroy()
      closing = socket
      answerAndStay(socket)
    })
    expect(await dialer.get(dialOf(receiver.port))).toMatchObject({ status: 200 })
    expect(await dialer.get(dialOf(receiver.port))).toMatchObject({ status: 200 })
    expect(receiver.heard).toHaveLength(2)
  })

  it('that is cut when new fails the attempt, which is not repeated', async () => {
    await using receiver = await openListener(socket => void socket.destroy())
    expect(await dialer.get(dialOf(receiver.port))).toEqual({ error: 'connection reset' })
    expect(receiver.heard).toHaveLength(1)
  })

  it('is checked when it is opened, by the rule of each host', async () => {
    await using receiver = await openListener(answerAndStay)
    expect(await dialer.get(dialOf(receiver.port))).toMatchObject({ status: 200 })
    const refused = await dialer.get(dialOf(receiver.port, { refuseAddress: () => 'it is refused now' }))
    expect(refused).toEqual({ error: 'not sent: it is refused now' })
    const named = dialOf(receiver.port, { refuseAddress: () => 'it is refused now' })
    const byName = await dialer.get({ ...named, url: named.url.replace('127.0.0.1', 'localhost') })
    expect([byName.error, receiver.heard.length]).toEqual(['not sent: it is refused now', 1])
  })
})

it('is checked again before reuse, with a new lookup', async () => {
  await using receiver = await openListener(answerAndStay)
  const named = { url: `http://localhost:${receiver.port}/cb` }
  expect(await dialer.get(dialOf(receiver.port, named))).toMatchObject({ status: 200 })
  const asked: string[] = []
  const refuseAddress = (address: string) => {
    asked.push(address)
    return 'it is refused now'
  }
  expect(await dialer.get(dialOf(receiver.port, { ...named, refuseAddress }))).toEqual({
    error: 'not sent: it is refused now',
  })
  expect(asked).toEqual(['127.0.0.1', '127.0.0.1', '::1'])
  expect(receiver.heard.map(text => text.split('GET').length - 1)).toEqual([1])
})

describe('a reply', () => {
  it('is read up to a limit, and its status counts', async () => {
    const closed = Promise.withResolvers<number>()
    await using receiver = await openListener(socket => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const count = writeForEver(socket, 'x'.repeat(4096))
      socket.on('close', () => closed.resolve(count.written))
    })
    expect(await dialer.get(dialOf(receiver.port, { timeoutMs: 60_000 }))).toMatchObject({ status: 200 })
    // The system's send and receive buffers hold a few megabytes that nobody reads.
    expect(await closed.promise).toBeLessThan(32 * 1024 * 1024)
  })

  it('may have up to 16 KiB of headers', async () => {
    await using receiver = await openListener(socket => {
      socket.write('HTTP/1.1 200 OK\r\n')
      writeForEver(socket, `x-more: ${'x'.repeat(1000)}\r\n`)
    })
    expect(await dialer.get(dialOf(receiver.port))).toEqual({ error: expect.stringContaining('Header overflow') })
  })

  it.each([
    ['sends nothing', () => undefined],
    ['starts and stops', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nx: ')],
    ['only sends informational responses', (socket: Socket) => void socket.write('HTTP/1.1 100 Continue\r\n\r\n')],
  ])('that %s times out, and its connection is closed', async (_title, answer) => {
    const closed = Promise.withResolvers<void>()
    await using receiver = await openListener(socket => {
      socket.on('close', () => closed.resolve())
      answer(socket)
    })
    expect(await dialer.get(dialOf(receiver.port, { timeoutMs: 50 }))).toEqual({ error: 'no response within 50 ms' })
    await closed.promise
  })

  it('with an endless body is cut off after the time limit', async () => {
    const closed = Promise.withResolvers<void>()
    await using receiver = await openListener(socket => {
      socket.on('close', () => closed.resolve())
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx')
    })
    const answer = { headers: { 'content-length': '9' }, text: 'x', truncated: true }
    expect(await dialer.get(dialOf(receiver.port, { timeoutMs: 1000 }))).toEqual({ status: 200, answer })
    await closed.promise
    // Its status counts even if the callback's timeout ends before the body's.
    expect(await dialer.get(dialOf(receiver.port, { timeoutMs: 200 }))).toEqual({ status: 200, answer })
  })

  it('is read up to 4 KiB, including its headers', async () => {
    await using receiver = await openListener(socket => {
      socket.write(
        'HTTP/1.1 503 No\r\nset-cookie: a=1\r\nset-cookie: b=2\r\nx-from: me\r\ncontent-length: 8000\r\n\r\n',
      )
      socket.write('ñ'.repeat(4_000))
    })
    const { status, answer } = await dialer.get(dialOf(receiver.port))
    expect([status, answer?.headers['x-from'], answer?.truncated]).toEqual([503, 'me', true])
    expect(answer?.text).toBe('ñ'.repeat(2_048))
  })

  it('that switches protocols does not count as one', async () => {
    await using receiver = await openListener(
      socket => void socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    )
    expect(await dialer.get(dialOf(receiver.port))).toEqual({ error: 'the connection was closed without a response' })
  })
})

describe('a failure', () => {
  it('is reported as a result: nothing listens', async () => {
    const receiver = await openListener(ok)
    await receiver[Symbol.asyncDispose]()
    expect(await dialer.get(dialOf(receiver.port))).toEqual({ error: 'connection refused' })
  })

  it('is reported as a result: an invalid header', async () => {
    await using receiver = await openListener()
    expect(await dialer.get(dialOf(receiver.port, { headers: { 'webhook-id': 'a\r\nx: y' } }))).toEqual({
      error: expect.stringContaining('Invalid character'),
    })
    expect(receiver.heard).toEqual([])
  })

  it('is reported as a result: the sandbox closes', async () => {
    const closing = createNodeDialer()
    await using receiver = await openListener(() => closing.close())
    expect(await closing.get(dialOf(receiver.port))).toEqual({ error: expect.stringContaining('aborted') })
  })
})

describe('a receiver with its own certificate', () => {
  /** Runs a test against an https receiver with a self-signed certificate for `localhost`. */
  async function withReceiver(test: (port: number, ca: string) => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'receiver-'))
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
    const names = ['-addext', 'subjectAltName=DNS:localhost']
    execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
    const ca = readFileSync(certificate, 'utf8')
    const server = createServer({ key: readFileSync(key), cert: ca }, (_, response) => response.end())
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      await test((server.address() as AddressInfo).port, ca)
    } finally {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }

  it('receives callbacks and leads if its authority is trusted', () =>
    withReceiver(async (port, ca) => {
      const trusting = createNodeDialer({ ca })
      const dial = dialOf(port, { url: `https://localhost:${port}/cb` })
      expect(await trusting.get(dial)).toMatchObject({ status: 200 })
      expect(await trusting.post({ ...dial, json: '{}' })).toEqual({ status: 200 })
      trusting.close()
    }))

  it('receives nothing if its authority is not trusted, and the error says how to trust it', () =>
    withReceiver(async port => {
      const dial = dialOf(port, { url: `https://localhost:${port}/cb` })
      expect(await dialer.get(dial)).toEqual({ error: expect.stringContaining('--callback-ca FILE') })
    }))

  it('is refused under a name that its certificate does not cover, even if its authority is trusted', () =>
    withReceiver(async (port, ca) => {
      const trusting = createNodeDialer({ ca })
      const dial = dialOf(port, { url: `https://127.0.0.1:${port}/cb` })
      expect(await trusting.get(dial)).toEqual({ error: "the receiver's certificate is for another host" })
      trusting.close()
    }))
})
