import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { forgeCallbacks } from '@lead-distribution/contract/forged-callbacks'
import { createCallbackUrl, verifyCallback } from '@lead-distribution/publisher-sdk/callbacks'
import { createTestCallback, createTestSigningSecret } from '@lead-distribution/publisher-sdk/testing'
import { build } from 'esbuild'
import { fastify } from 'fastify'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openServer } from '../languages/programs.fixture.ts'
import { filesOf, pagesIn } from './parse-page.ts'
import { installPackages, saveFile } from './reader.fixture.ts'

type Send = (request: Request) => Promise<{ status: number }>

const { url, secret } = createCallbackUrl('http://127.0.0.1/callbacks')
const env = { CALLBACK_SECRETS: secret }

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callback-recipes-'))
  await installPackages(folder)
  for (const file of pagesIn('docs/{guides,recipes}/*.md').flatMap(filesOf)) await saveFile(folder, file)
  // Built as the Nest command line does, because Node cannot run decorators.
  await build({
    entryPoints: [join(folder, 'nest-server.ts')],
    outfile: join(folder, 'nest-server.js'),
    format: 'esm',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Sends a recipe a valid callback, and every kind of invalid one. */
async function expectReceiver(send: Send) {
  const callback = { url, lead_id: crypto.randomUUID(), event: 'loan_issued' }
  expect((await send(await createTestCallback(callback))).status).toBe(200)
  expect((await send(await createTestCallback(callback))).status).toBe(200)
  for (const [flaw, forged] of Object.entries(await forgeCallbacks({ ...callback, urlSecret: secret }))) {
    const { status } = await send(forged)
    expect(status >= 400 && status < 500, `${flaw}: ${status}`).toBe(true)
  }
  return callback
}

/** Imports a recipe into this process. */
async function recipe(name: string) {
  vi.stubEnv('CALLBACK_SECRETS', secret)
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => {
    log.mockRestore()
    vi.unstubAllEnvs()
  })
  return { ...(await import(pathToFileURL(join(folder, name)).href)), log }
}

it.each(['express-server.ts', 'fastify-server.ts', 'http-server.ts', 'nest-server.js'])(
  '%s receives callbacks',
  async name => {
    const options = (port: string) => ({ env: { ...env, PORT: port } })
    const { origin, printed } = await openServer({ language: 'ts', name, folder }, options)
    const { lead_id } = await expectReceiver(request => fetch(request.url.replace('http://127.0.0.1', origin), request))
    // Apart from the receiver's messages about refused ones.
    await expect.poll(() => printed().match(/^\w+: .+$/gm)).toEqual([`approved: ${lead_id}`])
  },
)

it('hono-app.ts receives callbacks', async () => {
  const { default: app, log } = await recipe('hono-app.ts')
  const { lead_id } = await expectReceiver(async request => app.fetch(request))
  expect(log.mock.calls).toEqual([[`approved: ${lead_id}`]])
})

it('next-route.ts receives callbacks', async () => {
  const { GET, log } = await recipe('next-route.ts')
  const { lead_id } = await expectReceiver(GET)
  expect(log.mock.calls).toEqual([[`approved: ${lead_id}`]])
})

/** The AWS events that invoke a function, as AWS documents them. */
const lambdaEvents = {
  fromHttpApi({ method, url, headers }) {
    const { pathname, search } = new URL(url)
    const requestContext = { http: { method, path: pathname, sourceIp: '203.0.113.7' }, stage: '$default' }
    return { rawPath: pathname, rawQueryString: search.slice(1), headers: Object.fromEntries(headers), requestContext }
  },
  fromRestApi({ method, url, headers }) {
    const { pathname, searchParams } = new URL(url)
    // AWS keeps no order, and sends null instead of an empty object.
    const names = [...new Set(searchParams.keys())].sort()
    const lists = Object.fromEntries(names.map(name => [name, searchParams.getAll(name)]))
    return {
      path: pathname.replace('/prod', ''),
      httpMethod: method,
      headers: [...headers].length > 0 ? Object.fromEntries(headers) : null,
      queryStringParameters: Object.fromEntries(searchParams),
      multiValueQueryStringParameters: names.length > 0 ? lists : null,
      requestContext: { path: pathname, stage: 'prod' },
    }
  },
  fromLoadBalancer({ method, url, headers }) {
    const { pathname, search } = new URL(url)
    const pairs = search.slice(1).split('&').filter(Boolean)
    const lists = Map.groupBy(pairs, pair => pair.split('=')[0] ?? '')
    return {
      path: pathname,
      httpMethod: method,
      multiValueHeaders: Object.fromEntries([...headers].map(([name, value]) => [name, [value]])),
      multiValueQueryStringParameters: Object.fromEntries(
        [...lists].sort().map(([name, list]) => [name, list.map(pair => pair.slice(name.length + 1))]),
      ),
      requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/callbacks/1' } },
    }
  },
} satisfies Record<string, (request: Request) => object>

it('lambda.ts receives callbacks behind a function URL', async () => {
  const { handler, log } = await recipe('lambda.ts')
  const { lead_id } = await expectReceiver(async request => ({
    status: (await handler(lambdaEvents.fromHttpApi(request))).statusCode,
  }))
  expect(log.mock.calls).toEqual([[`queued ${lead_id}:approved`]])
})

describe.each(Object.entries(lambdaEvents))('%s of lambda-request.ts', (name, eventOf) => {
  const signing = createTestSigningSecret()
  const verify = { urlSecrets: [secret], signature: { secrets: [signing] } }
  const callback = { secret: signing, lead_id: crypto.randomUUID(), event: 'loan issued' }
  const statusOf = async (event: object) => {
    const { [name]: requestFrom } = await recipe('lambda-request.ts')
    return await verifyCallback(requestFrom(event), { verify }).then(
      () => 200,
      ({ status }) => status,
    )
  }

  it('creates a request with a valid signature, and from a forged event one that is refused', async () => {
    for (const address of [url, `${url.replace('/callbacks', '/prod/callbacks')}?source=a%20b%2Bc&tag=a&tag=b`])
      expect(await statusOf(eventOf(await createTestCallback({ ...callback, url: address })))).toBe(200)
    for (const [flaw, forged] of Object.entries(await forgeCallbacks({ ...callback, url, urlSecret: secret })))
      expect(await statusOf(eventOf(forged)), flaw).toSatisfy(status => status >= 400 && status < 500)
  })

  it('ignores events from other services', async () => {
    const request = await createTestCallback({ ...callback, url })
    for (const [other, otherEvent] of Object.entries(lambdaEvents)) {
      if (other !== name) expect(await statusOf(otherEvent(request)).catch(() => 'throws'), other).not.toBe(200)
    }
  })
})

it('Fastify passes on a request that can be verified unchanged', async () => {
  const app = fastify()
  app.get('/callbacks/*', request => verifyCallback(request, { verify: { urlSecrets: [secret] }, ip: request.ip }))
  const lead_id = crypto.randomUUID()
  const request = await createTestCallback({ url, lead_id, event: 'loan_issued' })
  const reply = await app.inject(request.url)
  expect(reply.json()).toMatchObject({ lead_id, event: 'approved' })
})

it('worker.ts receives callbacks in workerd, with claims in KV', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'worker.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd'],
  })
  const miniflare = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? '',
    compatibilityDate: '2026-01-01',
    host: '127.0.0.1',
    // Otherwise, it would ask Cloudflare about the caller.
    cf: false,
    bindings: env,
    kvNamespaces: ['CLAIMS'],
    queueProducers: { QUEUE: 'callbacks' },
  })
  onTestFinished(() => miniflare.dispose())
  const { lead_id } = await expectReceiver(({ url, method }) => miniflare.dispatchFetch(url, { method }))
  // The declarations of miniflare lose the type of a namespace without those of Workers.
  const claims = (await miniflare.getKVNamespace('CLAIMS')) as unknown as { get(key: string): Promise<string | null> }
  expect(await claims.get(`${lead_id}:approved`)).toBe('done')
})

it('worker.ts loses no event in a KV that accepts one write a second and is eventually consistent', async () => {
  const { default: worker } = await recipe('worker.ts')
  const entries = new Map<string, { text: string; at: number }>()
  const cache = new Map<string, string | null>()
  const CLAIMS = {
    async get(key: string) {
      if (!cache.has(key)) cache.set(key, entries.get(key)?.text ?? null)
      return cache.get(key)
    },
    async put(key: string, text: string) {
      if (Date.now() - (entries.get(key)?.at ?? 0) < 1000) throw new Error('KV PUT failed: 429 Too Many Requests')
      entries.set(key, { text, at: Date.now() })
    },
  }
  const queued = vi.fn()
  const printed = vi.spyOn(console, 'error')
  onTestFinished(() => printed.mockRestore())
  const request = await createTestCallback({ url, lead_id: crypto.randomUUID(), event: 'approved' })
  const deliver = async () => {
    const response = await worker.fetch(request, { CALLBACK_SECRETS: secret, CLAIMS, QUEUE: { send: queued } })
    return (await response.json()).status
  }
  expect(await deliver()).toBe('received')
  cache.clear()
  expect(await deliver()).toBe('ignored')
  expect([queued.mock.calls.length, printed.mock.calls]).toEqual([1, []])
})
