import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, createSecureServer, type Http2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { hangsUp, head, resets, stalls, writes, writesAndHangsUp } from '../sdks/steps.fixture.ts'
import { type Step, startWireServer, unansweringBaseUrl } from '../sdks/wire-server.fixture.ts'
import type { FaultSettings } from './programs/faults.ts'

/** Secrets that no program may print. */
export const injected = {
  apiKey: 'sandbox_planted_key_5f1c',
  // Characters that URL libraries rewrite.
  token: 'injected~token%2Fa+b==',
  email: 'injected.person@example.com',
}

const leadId = '33333333-3333-4333-8333-333333333333'
// Pages have another origin.
const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': '*',
}
const headOf = (status: number, length: number) =>
  head(status, { ...cors, 'content-type': 'application/json', 'content-length': String(length) })
// In one packet, as most servers send it: some runtimes lose a `421` with a later body.
const reply = (status: number, body: unknown) => {
  const text = JSON.stringify(body)
  return writes(headOf(status, text.length) + text)
}

interface WireFault {
  readonly name: string
  readonly step: Step
  /** Acts on the second request of a keep-alive connection. */
  readonly kept?: boolean
  /** Only the timeout ends the call. */
  readonly hangs?: boolean
}

export const unavailable = 'the reply is a `503`'
/** Proves that the request was not processed. */
export const misdirected = 'the reply is a `421`'
/** Acts on runtimes that use HTTP/2 over TLS. */
export const refusedStream = 'an HTTP/2 stream is refused'

/** The faults in the order of the table. */
const faults: readonly WireFault[] = [
  { name: 'a kept connection is closed without a reply', kept: true, step: hangsUp },
  { name: 'a kept connection is reset', kept: true, step: resets },
  { name: 'the reply is cut short', step: writesAndHangsUp(headOf(200, 400), '{"lead_id":"') },
  { name: 'no reply within `timeoutMs`', hangs: true, step: stalls },
  { name: unavailable, step: reply(503, { error: 'unavailable' }) },
  { name: misdirected, step: reply(421, { error: 'misdirected' }) },
]

type Call = 'submit' | 'reportStatus' | 'fire'
const fine = {
  submit: { lead_id: leadId, status: 'new' },
  reportStatus: { lead_id: leadId, status: 'approved' },
  fire: { lead_id: leadId, event: 'approved', status: 'received' },
}
const existing = { status: 'rejected', rejection_reason: 'customer_already_exists' }
const distributed = { lead_id: leadId, status: 'distributed', redirect_url: 'https://advertiser.example/apply?lead=1' }

/** Responds to the smoke program. The token must arrive byte for byte, without a key. */
const respond: Step = (socket, request) => {
  const { method, target, headers } = request
  const isGenuine = target.includes(`token=${injected.token}&event=approved`) && headers.apikey === undefined
  const isAllowed = method === 'POST' ? headers.apikey === injected.apiKey : isGenuine
  const body = method === 'POST' ? distributed : fine.fire
  reply(isAllowed ? 200 : 401, isAllowed ? body : { error: 'unauthorized' })(socket, request)
}

/**
 * Starts the part of the service that the programs need, until the test ends. It writes raw bytes so that it can lose a
 * reply. The path of a request selects the fault: `/{fault}/{call}/api/v1/…`. `/{fault}/{call}/reached` returns the
 * number of requests that arrived there. With the fault `none` it responds like the service.
 */
export async function startService() {
  const reached = new Map<string, number>()
  const reach = (place: string) => {
    const before = reached.get(place) ?? 0
    reached.set(place, before + 1)
    return before
  }
  const wire = await startWireServer((socket, request) => {
    const [, name = '', call, ...path] = request.target.split('/')
    const send = (body: unknown) => reply(200, body)(socket, request)
    if (request.method === 'OPTIONS') return send({})
    if (name === 'none') return respond(socket, request)
    const place = `${name}/${call}`
    if (path[0] === 'reached') return send(reached.get(place) ?? 0)
    const fault = faults.find(each => each.name === decodeURIComponent(name)) as WireFault
    const nth = reach(place) - (fault.kept ? 1 : 0)
    if (nth === 0) return fault.step(socket, request)
    // The request with the lost reply created the lead.
    const exists = nth > 0 && call === 'submit' && name !== encodeURIComponent(misdirected)
    send(exists ? existing : fine[call as Call])
  })
  const { origin: secureOrigin, certificate } = await startRefusingServer(reach)
  const elsewhere = [
    { name: 'no connection within `timeoutMs`', hangs: true, baseUrl: await unansweringBaseUrl() },
    // Nothing listens on this port, and `fetch` does not block it.
    { name: 'the connection is refused', baseUrl: 'http://127.0.0.1:3/api/v1' },
    { name: '`fetch` refuses the port', baseUrl: 'http://127.0.0.1:6000/api/v1' },
  ]
  const given = [...faults.map(({ step: _, ...fault }) => fault), { name: refusedStream, secure: true }, ...elsewhere]
  return {
    smoke: { service: `${wire.origin}/none/smoke`, leadId, ...injected },
    faults: { origin: wire.origin, secureOrigin, faults: given, leadId, apiKey: 'sandbox_key' } satisfies FaultSettings,
    /** The file with the secure server's self-signed certificate. */
    certificate,
    hangUp: wire.hangUp,
  }
}

/**
 * Starts an HTTP/2 server that refuses the first stream for each fault and call. It also serves HTTP/1.1, which has no
 * streams.
 */
async function startRefusingServer(reach: (place: string) => number) {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const request = ['req', '-x509', '-nodes', '-days', '2', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  // Deno refuses a CA certificate as a server certificate.
  const leaf = ['-addext', 'basicConstraints=critical,CA:FALSE']
  execFileSync('openssl', [...request, ...names, ...leaf, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  const options = { key: readFileSync(key), cert: readFileSync(certificate), allowHTTP1: true }
  const sessions = new Set<Http2Session>()
  const server = createSecureServer(options, async (message, response) => {
    for await (const _chunk of message);
    const [, name, call] = message.url.split('/')
    const refuses = message.httpVersion === '2.0' && message.method !== 'OPTIONS'
    if (refuses && reach(`${name}/${call}`) === 0) return message.stream.close(constants.NGHTTP2_REFUSED_STREAM)
    response.writeHead(200, { ...cors, 'content-type': 'application/json' })
    response.end(JSON.stringify(refuses && call === 'submit' ? existing : fine[call as Call]))
  })
  server.on('session', session => {
    sessions.add(session)
    session.on('error', () => undefined)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const session of sessions) session.destroy()
    server.close()
    rmSync(folder, { recursive: true })
  })
  return { origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, certificate }
}
