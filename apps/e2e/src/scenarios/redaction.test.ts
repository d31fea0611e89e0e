import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inspect } from 'node:util'
import { createMemoryStorage } from '@lead-distribution/simulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Adapter, decodeResponse, encodeRequest } from '../adapters/adapter.ts'
import { launcher } from '../adapters/command-line.ts'
import { inMemory } from '../adapters/every-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'
import { leaksOf, type MarkedSession, marked, runMarkedSession } from './secret-session.fixture.ts'

/** The parts of the control plane that show what went on, except the leads themselves. */
const shownAt = ['/requests?limit=500', '/requests?status=4xx', '/coverage', '/faults', '/snapshots', '/clock']

inMemory('what a session injected', adapter => {
  let session: MarkedSession
  beforeAll(async () => {
    session = await runMarkedSession(adapter)
  })

  it('is in no body of an error', () => {
    expect(new Set(session.errors.map(({ status }) => status))).toEqual(
      new Set([400, 401, 404, 405, 413, 415, 422, 500, 503]),
    )
    expect(session.errors.flatMap(({ text }) => leaksOf(session, text))).toEqual([])
  })

  it('is in no refusal of a foreign page', async () => {
    const headers = { origin: `https://${marked.token}.example`, 'x-planted': marked.text }
    const { status, text } = await adapter.request('GET', '/_sandbox/v1/tenants', { headers })
    expect([status, leaksOf(session, text)]).toEqual([403, []])
  })

  it('is neither in the journal nor in coverage and metrics', async () => {
    const { json } = await session.tenant.control('GET', '/requests?limit=500')
    expect(new Set(json.requests.map(({ status }: { status: number }) => status))).toEqual(
      new Set([0, 200, 400, 401, 404, 405, 413, 415, 422, 500, 503]),
    )
    const texts = await Promise.all(shownAt.map(async path => (await session.tenant.control('GET', path)).text))
    texts.push((await adapter.request('GET', '/_sandbox/metrics')).text)
    expect(texts.flatMap(text => leaksOf(session, text))).toEqual([])
  })
})

it('what a call injected is in no report of an internal error, nor in its 500', async () => {
  const storage = createMemoryStorage()
  const errors: unknown[] = []
  let full = false
  const adapter = await openMemoryAdapter({
    storage: {
      ...storage,
      of: tenant => ({
        transact: work => (full ? Promise.reject(new Error('The disk is full.')) : storage.of(tenant).transact(work)),
      }),
    },
    onError: error => errors.push(error),
  })
  const tenant = await createTenant(adapter)
  full = true
  const reply = await tenant.submit({ 'customer.external_id': marked.text }, marked.email)
  const session = { tenant, secrets: [tenant.publisherKey], errors: [reply] }
  expect([reply.status, errors.length > 0]).toEqual([500, true])
  expect(leaksOf(session, reply.text + errors.map(error => inspect(error)).join())).toEqual([])
  await adapter.close()
})

describe('what a session injected into its own server', () => {
  const { start } = launcher()
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-redaction-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is neither in the log of every request nor in what its file keeps of the journal', async () => {
    const data = join(folder, 'sandbox.db')
    const { child, exit, url } = await start('--data', data, '--log-level', 'debug')
    const adapter: Adapter = {
      url,
      async request(method, target, options = {}) {
        const { headers, body } = encodeRequest(options)
        const reply = await fetch(url + target, {
          method,
          headers,
          ...(body.byteLength > 0 && { body: new Uint8Array(body) }),
        })
        return decodeResponse(reply.status, Object.fromEntries(reply.headers), await reply.text())
      },
      close: async () => undefined,
    }
    const session = await runMarkedSession(adapter)
    child.kill('SIGTERM')
    const { code, stderr } = await exit
    expect(code).toBe(0)
    expect(stderr.split('\n').filter(line => line.includes('"request"')).length).toBeGreaterThan(50)
    expect(leaksOf(session, stderr)).toEqual([])
    const file = new DatabaseSync(data, { readOnly: true })
    const rows = ['requests', 'documents'].map(table => file.prepare(`select * from ${table}`).all())
    file.close()
    expect(rows.map(({ length }) => length > 0)).toEqual([true, true])
    expect(leaksOf(session, JSON.stringify(rows))).toEqual([])
  })
})
