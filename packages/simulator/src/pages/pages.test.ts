import { describe, expect, it } from 'vitest'
import type { ControlAccess } from '../control/access.ts'
import { manualEgress, manualTime } from '../ports.fixture.ts'
import { type CreateSandboxOptions, createSandbox, type Sandbox } from '../sandbox.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import type { SandboxStorage, StorageHealth } from '../storage/sandbox-storage.ts'
import { demoAccount } from '../tenants/create-tenant.ts'

/** Sends a request to a new sandbox. */
async function ask(path: string, { headers = {}, method = 'GET', before, ...options }: Asked = {}) {
  const sandbox = await open(options)
  before?.(sandbox)
  return sandbox.handle({ method, target: `/_sandbox${path}`, headers, body: new Uint8Array() })
}

function open({ access = {}, documents = loadDocuments, health = 'ok', onError = failOn, ...options }: Asked = {}) {
  return createSandbox({
    storage: { ...createMemoryStorage(), health: async () => health },
    ...manualTime(),
    ...options,
    entropy: { bytes: count => new Uint8Array(count).fill(7) },
    dialer: { get: manualEgress().send, post: async () => ({ status: 200 }), close: () => undefined },
    origin: 'http://qa.example:4010',
    access,
    allowedCallbackHosts: [],
    onError,
    version: '1.2.3',
    documents: documents || undefined,
  })
}

const failOn = (error: unknown) => expect.fail(String(error))

interface Asked {
  readonly access?: ControlAccess
  readonly headers?: Record<string, string>
  readonly method?: string
  readonly documents?: CreateSandboxOptions['documents'] | false
  readonly health?: StorageHealth
  /** Default: a memory storage with that health. */
  readonly storage?: SandboxStorage
  readonly clock?: CreateSandboxOptions['clock']
  /** Does something to the sandbox before the request. */
  readonly before?: (sandbox: Sandbox) => void
  readonly onError?: CreateSandboxOptions['onError']
}

const loadDocuments = () => import('../documents.ts')

const shared = { adminToken: 's3cret' }

describe('the documents', () => {
  it.each([
    ['/service.openapi.json', 'http://qa.example:4010/api/v1'],
    ['/openapi.json', 'http://qa.example:4010/_sandbox'],
  ])("%s contains its server's address, and needs no token", async (path, url) => {
    const { status, body } = await ask(path, { access: shared })
    expect([status, JSON.parse(body).servers]).toEqual([200, [{ url, description: 'This sandbox.' }]])
    expect(body).not.toContain('s3cret')
  })

  it.each(['/service.openapi.json', '/openapi.json'])(
    '%s does not exist if the sandbox was created without documents',
    async path => {
      const { status, body } = await ask(path, { documents: false })
      expect([status, JSON.parse(body).error]).toEqual([404, 'not_found'])
    },
  )

  it('have an example lead that the demo account can submit, with a new customer once it was submitted', async () => {
    const sandbox = await open({})
    const example = async () => {
      const target = '/_sandbox/service.openapi.json'
      const { body } = await sandbox.handle({ method: 'GET', target, headers: {}, body: new Uint8Array() })
      const { requestBody } = JSON.parse(body).paths['/lead'].post
      return requestBody.content['application/json'].examples['minimal lead'].value
    }
    for (let n = 0; n < 2; n++) {
      const lead = await example()
      expect(await example()).toEqual(lead)
      const { status, body } = await sandbox.handle({
        method: 'POST',
        target: '/api/v1/lead',
        headers: { apikey: demoAccount.publisher_key, 'content-type': 'application/json' },
        body: new TextEncoder().encode(JSON.stringify(lead)),
      })
      expect([status, JSON.parse(body).status]).toEqual([200, 'distributed'])
    }
  })

  it('are created once, and again only after a failure', async () => {
    let made = 0
    const errors: unknown[] = []
    const sandbox = await open({
      onError: error => errors.push(error),
      async documents() {
        made++
        if (made === 1) throw new Error('too many open files')
        return loadDocuments()
      },
    })
    const target = '/_sandbox/openapi.json'
    const get = () => sandbox.handle({ method: 'GET', target, headers: {}, body: new Uint8Array() })
    expect([(await get()).status, errors.length]).toEqual([500, 1])
    const [one, other] = await Promise.all([get(), get()])
    expect([one.status, other, await get()]).toEqual([200, one, one])
    expect(made).toBe(2)
  })

  it("require the control plane's token if the sandbox does", async () => {
    const required = async (access: ControlAccess) =>
      JSON.parse((await ask('/openapi.json', { access })).body).paths['/v1/tenants'].get.security
    expect([await required({}), await required(shared)]).toEqual([[{}, { adminToken: [] }], [{ adminToken: [] }]])
  })
})

describe('the metrics', () => {
  it('contain the version and the number of tenants', async () => {
    const { status, headers, body } = await ask('/metrics')
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(body).toContain('lead_sandbox_build_info{version="1.2.3"} 1\n')
    expect(body).toContain('lead_sandbox_tenants 1\n')
    expect(body).toContain('lead_sandbox_storage_up 1\n')
  })

  it('are available while the storage is down, and say so', async () => {
    const { status, body } = await ask('/metrics', { health: broken })
    expect([status, body.includes('lead_sandbox_storage_up 0\n')]).toEqual([200, true])
  })

  it('require a token if the control plane does', async () => {
    expect(await ask('/metrics', { access: shared })).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    })
    const headers = { authorization: 'Bearer s3cret' }
    expect((await ask('/metrics', { access: shared, headers })).status).toBe(200)
  })
})

const broken = { problem: '/data/sandbox.db is full: make room.' }

describe('the health', () => {
  it.each([
    ['/health', 'ok'],
    ['/health/live', 'live'],
    ['/health/ready', 'ready'],
  ])('%s is %s if everything works, and needs no token', async (path, status) => {
    const reply = await ask(path, { access: shared })
    expect([reply.status, JSON.parse(reply.body)]).toEqual([200, { status }])
  })

  it.each([
    ['/health', 'failing'],
    ['/health/ready', 'not_ready'],
  ])('%s shows a storage problem, but only to callers with access', async (path, status) => {
    const open = await ask(path, { health: broken })
    expect([open.status, JSON.parse(open.body)]).toEqual([503, { status, ...broken }])
    const closed = await ask(path, { health: broken, access: shared })
    expect([closed.status, JSON.parse(closed.body)]).toEqual([503, { status }])
  })

  it('is probed at most once a second for all callers', async () => {
    const { clock, advance } = manualTime()
    const probes: ((health: StorageHealth) => void)[] = []
    const health = () => new Promise<StorageHealth>(resolve => void probes.push(resolve))
    const sandbox = await open({ storage: { ...createMemoryStorage(), health }, clock })
    const get = async (path: string) =>
      (await sandbox.handle({ method: 'GET', target: `/_sandbox${path}`, headers: {}, body: new Uint8Array() })).status
    const getAll = () => Promise.all(['/health', '/health/ready', '/health', '/metrics'].map(get))
    const first = getAll()
    await advance(5_000)
    const second = getAll()
    await advance(0)
    probes[0]?.('ok')
    expect([await first, await second]).toEqual([Array(4).fill(200), Array(4).fill(200)])
    await advance(999)
    expect([await getAll(), probes.length]).toEqual([Array(4).fill(200), 1])
    await advance(1)
    const later = getAll()
    await advance(0)
    probes[1]?.(broken)
    expect([await later, probes.length]).toEqual([[503, 503, 503, 200], 2])
  })

  it('is live while the storage is down, because a restart would not help', async () => {
    expect((await ask('/health/live', { health: broken })).status).toBe(200)
  })

  it('is no longer ready once the sandbox is closing', async () => {
    const reply = await ask('/health/ready', { before: sandbox => sandbox.endWaits() })
    expect([reply.status, JSON.parse(reply.body).problem]).toEqual([503, 'The sandbox is closing.'])
  })
})

const readOnly = ['/metrics', '/openapi.json', '/service.openapi.json', '/health', '/health/live', '/health/ready']

it.each(readOnly)('%s is read-only', async path => {
  expect(await ask(path, { method: 'POST' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
})
