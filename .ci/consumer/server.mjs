// As much of the service as the programs meet, on a real socket: a server that writes bytes, not replies, so that it can
// lose a reply. What it does with a request is in its path: `/{caller}/{fault}/{call}/api/v1/…`;
// `/{caller}/{fault}/{call}/reached` is how many requests reached it there. Without a fault it responds as the service does.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { constants, createSecureServer } from 'node:http2'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** Values that no program may print. */
export const injected = {
  apiKey: 'sandbox_planted_key_5f1c',
  // Characters that URL libraries rewrite.
  token: 'injected~token%2Fa+b==',
  email: 'injected.person@example.com',
}

const leadId = '33333333-3333-4333-8333-333333333333'
const cors = 'access-control-allow-origin: *\r\naccess-control-allow-headers: *\r\naccess-control-allow-methods: *\r\n'

const reply = (status, body) => socket => {
  const text = JSON.stringify(body)
  const head = `HTTP/1.1 ${status} Some\r\n${cors}content-type: application/json\r\ncontent-length: ${text.length}`
  socket.write(`${head}\r\n\r\n${text}`)
}

export const unavailable = 'the reply is a `503`'

/** Proves that the request was not processed. */
export const misdirected = 'the reply is a `421`'

/** The faults in the order of the table. `kept`: it meets the second request of a connection that was kept. `hangs`: for ever. */
const faults = [
  { name: 'a kept connection is closed without a reply', kept: true, meet: socket => socket.end() },
  { name: 'a kept connection is reset', kept: true, meet: socket => socket.resetAndDestroy() },
  { name: 'the reply is cut short', meet: cut },
  { name: 'no reply within `timeoutMs`', hangs: true, meet: () => {} },
  { name: unavailable, meet: reply(503, { error: 'unavailable' }) },
  { name: misdirected, meet: reply(421, { error: 'misdirected' }) },
]

/** Meets those that speak HTTP/2 over TLS. */
export const refusedStream = 'an HTTP/2 stream is refused'

function cut(socket) {
  const head = `HTTP/1.1 200 OK\r\n${cors}content-type: application/json\r\ncontent-length: 400`
  socket.write(`${head}\r\n\r\n{"lead_id":"`, () => socket.destroy())
}

const bodies = {
  submit: { lead_id: leadId, status: 'new' },
  reportStatus: { lead_id: leadId, status: 'approved' },
  fire: { lead_id: leadId, event: 'approved', status: 'received' },
}
const fine = Object.fromEntries(Object.entries(bodies).map(([call, body]) => [call, reply(200, body)]))
const existing = { status: 'rejected', rejection_reason: 'customer_already_exists' }
const exists = reply(200, existing)

/** Responds to the smoke program. The token has to come byte for byte, and without a key. */
function respond(socket, method, target, head) {
  const key = /^apikey: *(\S+)/im.exec(head)?.[1]
  const isGenuine = target.includes(`token=${injected.token}&event=approved`) && key === undefined
  const isAllowed = method === 'POST' ? key === injected.apiKey : isGenuine
  const distributed = {
    lead_id: leadId,
    status: 'distributed',
    redirect_url: 'https://advertiser.example/apply?lead=1',
  }
  reply(
    isAllowed ? 200 : 401,
    isAllowed ? (method === 'POST' ? distributed : bodies.fire) : { error: 'unauthorized' },
  )(socket)
}

/** Starts it on a free port of this machine, beside a port that takes no connection. */
export async function startServer() {
  const reached = new Map()
  /** The open connections, each with who used it last. */
  const open = new Map()
  const server = createServer(socket => {
    open.set(socket, undefined)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => {})
    let text = ''
    socket.on('data', data => {
      text += data.toString('latin1')
      const head = text.split('\r\n\r\n', 1)[0]
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
      if (text.length < head.length + 4 + length) return
      text = ''
      answer(socket, ...head.split(' ', 2), head)
    })
  })

  function answer(socket, method, target, headers) {
    if (method === 'OPTIONS') return reply(200, {})(socket)
    const [, caller, name, call, ...path] = target.split('/')
    open.set(socket, caller)
    if (name === 'none') return respond(socket, method, target, headers)
    const place = `${caller}/${name}/${call}`
    const before = reached.get(place) ?? 0
    if (path[0] === 'reached') return reply(200, before)(socket)
    reached.set(place, before + 1)
    const fault = faults.find(each => each.name === decodeURIComponent(name))
    const first = fault.kept ? 1 : 0
    if (before < first) fine[call](socket)
    else if (before === first) fault.meet(socket)
    // The lead of the lost reply exists.
    else if (call === 'submit' && fault.name !== misdirected) exists(socket)
    else fine[call](socket)
  }

  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const secure = await startRefusingServer(reached)
  const unanswering = await startUnanswering()
  const elsewhere = [
    { name: 'no connection within `timeoutMs`', hangs: true, baseUrl: `http://127.0.0.1:${unanswering.port}/api/v1` },
    // Nothing listens there, and `fetch` does not refuse it.
    { name: 'the connection is refused', baseUrl: 'http://127.0.0.1:3/api/v1' },
    { name: '`fetch` refuses the port', baseUrl: 'http://127.0.0.1:6000/api/v1' },
  ]
  return {
    /** The settings of the smoke program of one caller. */
    smokeSettings: caller => ({
      service: `http://127.0.0.1:${server.address().port}/${caller}/none/smoke`,
      leadId,
      ...injected,
    }),
    /** Closes the connections of one caller. */
    hangUp(caller) {
      for (const [socket, of] of open) if (of === caller) socket.end()
    },
    /** The settings of the program of faults of one caller. */
    faultSettings: caller => ({
      origin: `http://127.0.0.1:${server.address().port}`,
      secureOrigin: secure.origin,
      faults: [...faults, { name: refusedStream, secure: true }, ...elsewhere].map(
        ({ name, kept, hangs, secure: isSecure, baseUrl }) => ({ name, kept, hangs, secure: isSecure, baseUrl }),
      ),
      caller,
      leadId,
      apiKey: 'sandbox_key',
    }),
    /** The certificate of the secure server, which signed itself: the text, and a file that holds it. */
    certificate: secure.certificate,
    async stop() {
      await unanswering.stop()
      await secure.stop()
      for (const socket of open.keys()) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** A server of HTTP/2 that refuses the first stream of each place. It serves HTTP/1.1 too, which has no streams. */
async function startRefusingServer(reached) {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'))
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const request = ['req', '-x509', '-nodes', '-days', '2', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  // Deno refuses the certificate of an authority as that of a server.
  const leaf = ['-addext', 'basicConstraints=critical,CA:FALSE']
  execFileSync('openssl', [...request, ...names, ...leaf, '-keyout', key, '-out', file], { stdio: 'ignore' })
  const text = await readFile(file, 'utf8')
  const options = { key: await readFile(key), cert: text, allowHTTP1: true }
  const sessions = new Set()
  const server = createSecureServer(options, async (message, response) => {
    for await (const _chunk of message);
    const [, caller, name, call] = message.url.split('/')
    const place = `${caller}/${name}/${call}`
    const before = reached.get(place) ?? 0
    const refuses = message.httpVersion === '2.0' && message.method !== 'OPTIONS'
    if (refuses) reached.set(place, before + 1)
    if (refuses && before === 0) return message.stream.close(constants.NGHTTP2_REFUSED_STREAM)
    const allowed = Object.fromEntries(
      cors
        .trim()
        .split('\r\n')
        .map(line => line.split(': ')),
    )
    response.writeHead(200, { ...allowed, 'content-type': 'application/json' })
    response.end(JSON.stringify(refuses && call === 'submit' ? existing : bodies[call]))
  })
  server.on('session', session => {
    sessions.add(session)
    session.on('error', () => {}).on('close', () => sessions.delete(session))
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const stop = async () => {
    for (const session of sessions) session.destroy()
    server.closeAllConnections?.()
    await new Promise(resolve => server.close(resolve))
    await rm(folder, { recursive: true, force: true })
  }
  return { origin: `https://127.0.0.1:${server.address().port}`, certificate: { file, text }, stop }
}

const sleeper = `
  const { parentPort } = require('node:worker_threads')
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })`

/** A port that listens and takes no connection: a thread that sleeps has it, and its queue is full. */
async function startUnanswering() {
  const worker = new Worker(sleeper, { eval: true })
  const [port] = await once(worker, 'message')
  // Two fill the queue; the rest only make sure.
  const waiting = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await Promise.all(waiting.slice(0, 2).map(socket => (socket.connecting ? once(socket, 'connect') : undefined)))
  const stop = async () => {
    for (const socket of waiting) socket.destroy()
    await worker.terminate()
  }
  return { port, stop }
}
