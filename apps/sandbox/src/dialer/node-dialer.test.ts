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

/** Answers and keeps the connection open. */
const answerAndStay = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')

/** Writes a text again and again for as long as anybody reads it; answers how many bytes were taken. */
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
  it('is these bytes and no other', async () => {
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

  it('is these bytes where a lead is posted to a back end, on a connection of its own', async () => {
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

  it('follows no redirect', async () => {
    await using trap = await openListener()
    const location = `http://127.0.0.1:${trap.port}/`
    await using receiver = await openListener(
      socket => void socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
    )
    expect(await dialer.get(dialOf(receiver.port))).toMatchObject({ status: 302 })
    expect(trap.heard).toEqual([])
  })

  it('asks no proxy of the environment', async () => {
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
  it('is used again, also by another callback to the same receiver', async () => {
    await using receiver = await openListener(answerAndStay)
    for (let n = 0; n < 3; n++) expect(await dialer.get(dialOf(receiver.port))).toMatchObject({ status: 200 })
    expect(receiver.heard.map(text => text.split('GET').length - 1)).toEqual([3])
  })

  it('is opened anew where the receiver closed it meanwhile: that is no failed try', async () => {
    let closing: Socket | undefined
    await using receiver = await openListener(socket => {
      // The second request finds the connection closed by a receiver that did not say so.
      if (closing === socket) return void socket.destroy()
      closing = socket
      answerAndStay(socket)
    })
    expect(await dialer.get(dialOf(receiver.port))).toMatchObject({ status: 200 })
    expect(await dialer.get(dialOf(receiver.port))).toMatchObject({ status: 200 })
    expect(receiver.heard).toHaveLength(2)
  })

  it('that is new and cut fails the try, which is not sent twice', async () => {
    await using receiver = await openListener(socket => void socket.destroy())
    expect(await dialer.get(dialOf(receiver.port))).toEqual({ error: 'connection reset' })
    expect(receiver.heard).toHaveLength(1)
  })

  it('is checked when it is opened, for each host by its own rule', async () => {
    await using receiver = await openListener(answerAndStay)
    expect(await dialer.get(dialOf(receiver.port))).toMatchObject({ status: 200 })
    const refused = await dialer.get(dialOf(receiver.port, { refuseAddress: () => 'it is refused now' }))
    expect(refused).toEqual({ error: 'not sent: it is refused now' })
    const named = dialOf(receiver.port, { refuseAddress: () => 'it is refused now' })
    const byName = await dialer.get({ ...named, url: named.url.replace('127.0.0.1', 'localhost') })
    expect([byName.error, receiver.heard.length]).toEqual(['not sent: it is refused now', 1])
  })
})

it('checks the address of a kept connection before it is used again, and looks the name up anew', async () => {
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
  it('is read up to a cap, and its status counts', async () => {
    const closed = Promise.withResolvers<number>()
    await using receiver = await openListener(socket => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const count = writeForEver(socket, 'x'.repeat(4096))
      socket.on('close', () => closed.resolve(count.written))
    })
    expect(await dialer.get(dialOf(receiver.port, { timeoutMs: 60_000 }))).toMatchObject({ status: 200 })
    // The sender's and the receiver's buffers of the system hold some megabytes of what nobody reads.
    expect(await closed.promise).toBeLessThan(32 * 1024 * 1024)
  })

  it('has a head of 16 KiB at most', async () => {
    await using receiver = await openListener(socket => {
      socket.write('HTTP/1.1 200 OK\r\n')
      writeForEver(socket, `x-more: ${'x'.repeat(1000)}\r\n`)
    })
    expect(await dialer.get(dialOf(receiver.port))).toEqual({ error: expect.stringContaining('Header overflow') })
  })

  it.each([
    ['says nothing', () => undefined],
    ['begins and does not go on', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nx: ')],
    ['only ever announces one', (socket: Socket) => void socket.write('HTTP/1.1 100 Continue\r\n\r\n')],
  ])('that %s is given up when its time is over, and the connection with it', async (_title, answer) => {
    const closed = Promise.withResolvers<void>()
    await using receiver = await openListener(socket => {
      socket.on('close', () => closed.resolve())
      answer(socket)
    })
    expect(await dialer.get(dialOf(receiver.port, { timeoutMs: 50 }))).toEqual({ error: 'no response within 50 ms' })
    await closed.promise
  })

  it('whose body does not end is cut when its time is over', async () => {
    const closed = Promise.withResolvers<void>()
    await using receiver = await openListener(socket => {
      socket.on('close', () => closed.resolve())
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx')
    })
    const answer = { headers: { 'content-length': '9' }, text: 'x', truncated: true }
    expect(await dialer.get(dialOf(receiver.port, { timeoutMs: 1000 }))).toEqual({ status: 200, answer })
    await closed.promise
    // Its status counts also where the time of the callback is over before that of the body.
    expect(await dialer.get(dialOf(receiver.port, { timeoutMs: 200 }))).toEqual({ status: 200, answer })
  })

  it('is read up to 4 KiB, with its headers', async () => {
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

  it('that changes the protocol is none', async () => {
    await using receiver = await openListener(
      socket => void socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    )
    expect(await dialer.get(dialOf(receiver.port))).toEqual({ error: 'the connection was closed without a response' })
  })
})

describe('a failure', () => {
  it('is a reply: nobody listens', async () => {
    const receiver = await openListener(ok)
    await receiver[Symbol.asyncDispose]()
    expect(await dialer.get(dialOf(receiver.port))).toEqual({ error: 'connection refused' })
  })

  it('is a reply: a header that HTTP cannot carry', async () => {
    await using receiver = await openListener()
    expect(await dialer.get(dialOf(receiver.port, { headers: { 'webhook-id': 'a\r\nx: y' } }))).toEqual({
      error: expect.stringContaining('Invalid character'),
    })
    expect(receiver.heard).toEqual([])
  })

  it('is a reply: the sandbox closes', async () => {
    const closing = createNodeDialer()
    await using receiver = await openListener(() => closing.close())
    expect(await closing.get(dialOf(receiver.port))).toEqual({ error: expect.stringContaining('aborted') })
  })
})

describe('a receiver with a certificate of its own', () => {
  /** Runs a test against an https receiver whose certificate, for `localhost`, signed itself. */
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

  it('gets callbacks and leads if its authority is trusted', () =>
    withReceiver(async (port, ca) => {
      const trusting = createNodeDialer({ ca })
      const dial = dialOf(port, { url: `https://localhost:${port}/cb` })
      expect(await trusting.get(dial)).toMatchObject({ status: 200 })
      expect(await trusting.post({ ...dial, json: '{}' })).toEqual({ status: 200 })
      trusting.close()
    }))

  it('gets nothing if its authority is not trusted, and the error says how to trust it', () =>
    withReceiver(async port => {
      const dial = dialOf(port, { url: `https://localhost:${port}/cb` })
      expect(await dialer.get(dial)).toEqual({ error: expect.stringContaining('--callback-ca FILE') })
    }))

  it('is refused under a name that its certificate does not have, also if its authority is trusted', () =>
    withReceiver(async (port, ca) => {
      const trusting = createNodeDialer({ ca })
      const dial = dialOf(port, { url: `https://127.0.0.1:${port}/cb` })
      expect(await trusting.get(dial)).toEqual({ error: "the receiver's certificate is for another host" })
      trusting.close()
    }))
})
