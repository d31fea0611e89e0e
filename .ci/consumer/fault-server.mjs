// A server that writes bytes, not replies, so that it can lose a reply. What it does with a request is in its path:
// `/{caller}/{fault}/{call}/api/v1/…`; `/{caller}/{fault}/{call}/reached` is how many requests reached it there.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { Worker } from 'node:worker_threads'

const leadId = '33333333-3333-4333-8333-333333333333'
const cors = 'access-control-allow-origin: *\r\naccess-control-allow-headers: *\r\naccess-control-allow-methods: *\r\n'

const reply = (status, body) => socket => {
  const text = JSON.stringify(body)
  const head = `HTTP/1.1 ${status} Some\r\n${cors}content-type: application/json\r\ncontent-length: ${text.length}`
  socket.write(`${head}\r\n\r\n${text}`)
}

/** The faults in the order of the table. `kept`: it meets the second request of a connection that was kept. */
const faults = [
  { name: 'a kept connection is closed without a reply', kept: true, meet: socket => socket.end() },
  { name: 'a kept connection is reset', kept: true, meet: socket => socket.resetAndDestroy() },
  { name: 'the reply is cut short', meet: cut },
  { name: 'no reply within `timeoutMs`', meet: () => {} },
  { name: 'the reply is a `503`', meet: reply(503, { error: 'unavailable' }) },
  { name: 'the reply is a `421`', meet: reply(421, { error: 'misdirected' }) },
]

function cut(socket) {
  const head = `HTTP/1.1 200 OK\r\n${cors}content-type: application/json\r\ncontent-length: 400`
  socket.write(`${head}\r\n\r\n{"lead_id":"`, () => socket.destroy())
}

const fine = {
  submit: reply(200, { lead_id: leadId, status: 'new' }),
  reportStatus: reply(200, { lead_id: leadId, status: 'approved' }),
  fire: reply(200, { lead_id: leadId, event: 'approved', status: 'received' }),
}
const exists = reply(200, { status: 'rejected', rejection_reason: 'customer_already_exists' })

/** Starts it on a free port of this machine, beside a port that takes no connection. */
export async function startFaultServer() {
  const reached = new Map()
  const open = new Set()
  const server = createServer(socket => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => {})
    let text = ''
    socket.on('data', data => {
      text += data.toString('latin1')
      const head = text.split('\r\n\r\n', 1)[0]
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
      if (text.length < head.length + 4 + length) return
      text = ''
      answer(socket, ...head.split(' ', 2))
    })
  })

  function answer(socket, method, target) {
    if (method === 'OPTIONS') return reply(200, {})(socket)
    const [, caller, name, call, ...path] = target.split('/')
    const place = `${caller}/${name}/${call}`
    const before = reached.get(place) ?? 0
    if (path[0] === 'reached') return reply(200, before)(socket)
    reached.set(place, before + 1)
    const fault = faults.find(each => each.name === decodeURIComponent(name))
    const first = fault.kept ? 1 : 0
    if (before < first) fine[call](socket)
    else if (before === first) fault.meet(socket)
    // The lead of the lost reply exists; a `421` says that it does not.
    else if (call === 'submit' && !fault.name.includes('421')) exists(socket)
    else fine[call](socket)
  }

  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const unanswering = await startUnanswering()
  const elsewhere = [
    { name: 'no connection within `timeoutMs`', baseUrl: `http://127.0.0.1:${unanswering.port}/api/v1` },
    // Nothing listens there, and `fetch` does not refuse it.
    { name: 'the connection is refused', baseUrl: 'http://127.0.0.1:3/api/v1' },
    { name: '`fetch` refuses the port', baseUrl: 'http://127.0.0.1:6000/api/v1' },
  ]
  return {
    /** The settings of the program of faults of one caller. */
    settingsOf: caller => ({
      origin: `http://127.0.0.1:${server.address().port}`,
      faults: [...faults, ...elsewhere].map(({ name, kept, baseUrl }) => ({ name, kept, baseUrl })),
      caller,
      leadId,
      apiKey: 'sandbox_key',
    }),
    async stop() {
      await unanswering.stop()
      for (const socket of open) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
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
