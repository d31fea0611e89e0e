import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createCallbackUrl, verifyCallback } from '@lead-distribution/publisher-sdk/callbacks'
import { createTestCallback, forgeTestCallbacks } from '@lead-distribution/publisher-sdk/testing'
import { build } from 'esbuild'
import { fastify } from 'fastify'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '../adapters/sockets.ts'
import { allGuides, allRecipes, parseGuide } from './parse-guide.ts'
import { installPackages, printedBy } from './reader.fixture.ts'

type Send = (request: Request) => Promise<{ status: number }>

const { url, secret } = createCallbackUrl('http://127.0.0.1/callbacks')
const env = { CALLBACK_SECRETS: secret }

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callback-recipes-'))
  await installPackages(folder)
  const steps = [...allGuides, ...allRecipes].flatMap(({ markdown }) => parseGuide(markdown).steps)
  for (const step of steps)
    if (step.kind === 'file' && !step.name.includes('/')) writeFileSync(join(folder, step.name), step.code)
  // As the Nest command line builds it: Node itself runs no decorators.
  await build({
    entryPoints: [join(folder, 'nest-server.ts')],
    outfile: join(folder, 'nest-server.js'),
    format: 'esm',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Sends a recipe a right callback, and every wrong one. */
async function expectReceiver(send: Send) {
  const callback = { url, urlSecret: secret, lead_id: crypto.randomUUID(), event: 'loan_issued' }
  expect((await send(await createTestCallback(callback))).status).toBe(200)
  expect((await send(await createTestCallback(callback))).status).toBe(200)
  for (const [flaw, forged] of Object.entries(await forgeTestCallbacks(callback))) {
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
  '%s takes callbacks',
  async name => {
    const port = await freePort()
    const child = spawn(process.execPath, [name], {
      cwd: folder,
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const handled = printedBy(child)
      const origin = `http://127.0.0.1:${port}`
      await expect
        .poll(() =>
          fetch(origin).then(
            () => 'listens',
            () => 'does not',
          ),
        )
        .toBe('listens')
      const { lead_id } = await expectReceiver(request =>
        fetch(request.url.replace('http://127.0.0.1', origin), request),
      )
      await expect.poll(handled).toMatch(new RegExp(`(^|\n)approved: ${lead_id}\n$`))
    } finally {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  },
)

it('hono-app.ts takes callbacks', async () => {
  const { default: app, log } = await recipe('hono-app.ts')
  const { lead_id } = await expectReceiver(async request => app.fetch(request))
  expect(log.mock.calls).toEqual([[`approved: ${lead_id}`]])
})

it('next-route.ts takes callbacks', async () => {
  const { GET, log } = await recipe('next-route.ts')
  const { lead_id } = await expectReceiver(GET)
  expect(log.mock.calls).toEqual([[`approved: ${lead_id}`]])
})

const lambdaEvents: Record<string, (request: Request) => object> = {
  'a function URL': ({ method, url, headers }) => {
    const { pathname, search } = new URL(url)
    const requestContext = { http: { method } }
    return { rawPath: pathname, rawQueryString: search.slice(1), headers: Object.fromEntries(headers), requestContext }
  },
  'a REST API': ({ method, url, headers }) => {
    const { pathname, searchParams } = new URL(url)
    const names = [...new Set(searchParams.keys())]
    return {
      path: pathname,
      httpMethod: method,
      headers: Object.fromEntries(headers),
      queryStringParameters: Object.fromEntries(searchParams),
      multiValueQueryStringParameters: Object.fromEntries(names.map(name => [name, searchParams.getAll(name)])),
      requestContext: { path: `/prod${pathname}` },
    }
  },
}

it.each(Object.entries(lambdaEvents))('lambda.ts takes callbacks behind %s', async (_name, eventOf) => {
  const { handler, log } = await recipe('lambda.ts')
  const { lead_id } = await expectReceiver(async request => ({ status: (await handler(eventOf(request))).statusCode }))
  expect(log.mock.calls).toEqual([[`queued ${lead_id}:approved`]])
})

it('Fastify hands over a request that is verified as it is', async () => {
  const app = fastify()
  app.get('/callbacks/*', request => verifyCallback(request, { verify: { urlSecrets: [secret] }, ip: request.ip }))
  const lead_id = crypto.randomUUID()
  const request = await createTestCallback({ url, lead_id, event: 'loan_issued' })
  const reply = await app.inject(request.url)
  expect(reply.json()).toMatchObject({ lead_id, event: 'approved' })
})

it('worker.ts takes callbacks in workerd, its claims in KV', async () => {
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
    // It would ask Cloudflare about the caller.
    cf: false,
    bindings: env,
    kvNamespaces: ['CLAIMS'],
    queueProducers: { QUEUE: 'callbacks' },
  })
  onTestFinished(() => miniflare.dispose())
  const { lead_id } = await expectReceiver(({ url, method }) => miniflare.dispatchFetch(url, { method }))
  // The declarations of miniflare lose the type of a namespace without those of Workers.
  const claims = (await miniflare.getKVNamespace('CLAIMS')) as unknown as { get(key: string): Promise<string | null> }
  expect(await claims.get(`lead-callback:${lead_id}:approved`)).toBe('done')
})
