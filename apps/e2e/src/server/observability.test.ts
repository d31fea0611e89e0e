import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { listenInTest } from '../adapters/receiver.ts'

const { start } = launcher()
afterEach(() => {
  vi.unstubAllEnvs()
})

/** A span in OTLP's JSON. */
interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number }
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** A collector on this machine, and the spans it received. */
async function openCollector() {
  const bodies: OtlpBody[] = []
  const server = createServer(async (request, response) => {
    bodies.push((await json(request)) as OtlpBody)
    response.end('{}')
  })
  const all = () => bodies.flatMap(({ resourceSpans }) => resourceSpans)
  return {
    url: await listenInTest(server),
    services: () => new Set(all().map(({ resource }) => valuesOf(resource.attributes)['service.name'])),
    spans: () =>
      all()
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .map(({ attributes, ...span }) => ({ ...span, attributes: valuesOf(attributes) })),
  }
}

const sdk = `--import ${new URL('tracing.fixture.ts', import.meta.url).href}`

/** Sets OpenTelemetry's variables so that spans are sent only when the sandbox stops. */
function traceTo(url: string, nodeOptions = sdk) {
  vi.stubEnv('NODE_OPTIONS', nodeOptions)
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url)
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json')
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '1000000')
  vi.stubEnv('OTEL_SERVICE_NAME', 'lead-sandbox')
}

async function stop({ child, exit }: Awaited<ReturnType<typeof start>>) {
  child.kill('SIGTERM')
  return exit
}

const traceId = '0af7651916cd43dd8448eb211c80319c'
const callerSpan = 'b7ad6b7169203331'
const [server, client, error] = [2, 3, 2]

async function submit(
  { base_url, tenant }: Awaited<ReturnType<typeof start>>,
  email: string,
  flags: string,
): Promise<{ readonly lead_id: string }> {
  const lead = createTestLeads(tenant).distributed({ customer: { contact: { email: { address: email } } } })
  const headers = {
    'content-type': 'application/json',
    apikey: tenant.publisher.api_key,
    traceparent: `00-${traceId}-${callerSpan}-${flags}`,
  }
  const response = await fetch(`${base_url}/lead`, { method: 'POST', headers, body: JSON.stringify(lead) })
  return response.json() as Promise<{ lead_id: string }>
}

it("records requests, decisions and callbacks with the OpenTelemetry SDK, each request in its caller's trace", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'observability-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const collector = await openCollector()
  traceTo(collector.url)
  const sandbox = await start('--data', join(folder, 'sandbox.db'))
  const control = `${sandbox.url}/_sandbox/v1/tenants/demo`
  const { lead_id } = await submit(sandbox, 'ana.traced@example.com', '01')
  await submit(sandbox, 'ana.unsampled@example.com', '00')
  const lead = (await (await fetch(`${control}/leads/${lead_id}`)).json()) as { deliveries: { postback_url: string }[] }
  await fetch(`${lead.deliveries[0]?.postback_url}&event=approved`)
  await fetch(`${control}/callbacks/wait?lead_id=${lead_id}&timeout_ms=20000`)
  await fetch(`${sandbox.base_url}/lead/ana.private@example.com/status?token=s3cret&event=approved`)
  await fetch(`${control}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ match: { operation: 'submitLead' }, effect: { reset: true } }),
  })
  await expect(submit(sandbox, 'ana.cut@example.com', '01')).rejects.toThrow()
  expect((await stop(sandbox)).code).toBe(0)

  const spans = collector.spans()
  const submissions = spans.filter(({ name }) => name === 'POST /api/v1/lead')
  const address = { 'server.address': '127.0.0.1', 'server.port': Number(new URL(sandbox.url).port) }
  const caller = { traceId, parentSpanId: callerSpan, kind: server }
  expect(submissions).toMatchObject([
    {
      ...caller,
      attributes: {
        ...address,
        'http.request.method': 'POST',
        'http.route': '/api/v1/lead',
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'url.path': '/api/v1/lead',
        'lead_sandbox.operation': 'submitLead',
        'lead_sandbox.outcome': 'distributed',
      },
    },
    { ...caller, status: { code: error }, attributes: { 'error.type': 'cut' } },
  ])
  expect(submissions[1]?.attributes['http.response.status_code']).toBeUndefined()
  const below = spans.filter(({ parentSpanId }) => parentSpanId === submissions[0]?.spanId)
  expect(below.map(each => [each.name, each.traceId])).toEqual([['storage transaction', traceId]])
  const callbacks = spans.filter(({ kind }) => kind === client)
  expect(callbacks).toMatchObject([
    {
      name: 'GET',
      attributes: {
        ...address,
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'url.full': `${sandbox.url}/_sandbox/inbox/*`,
        'lead_sandbox.lead_id': lead_id,
        'lead_sandbox.event': 'loan_issued',
      },
    },
  ])
  expect(callbacks[0]).not.toHaveProperty('parentSpanId')
  expect(collector.services()).toEqual(new Set(['lead-sandbox']))
  expect(spans.map(({ name }) => name)).toContain('GET /api/v1/lead/:lead_id/status')
  expect(JSON.stringify(spans)).not.toMatch(/ana|s3cret|token|apikey/)
})

it('serves and stops as usual without a collector', async () => {
  traceTo('http://127.0.0.1:1')
  const sandbox = await start()
  for (let round = 0; round < 5; round++) expect((await fetch(`${sandbox.url}/_sandbox/health/live`)).status).toBe(200)
  expect((await stop(sandbox)).code).toBe(0)
})

it('stops in time although the collector never responds', async () => {
  let asked = 0
  traceTo(await listenInTest(createServer(() => void asked++)))
  // Both timeouts exceed the limit for a stop, and a stop past its limit exits with 1. So the sandbox must end the wait
  // itself.
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '600000')
  vi.stubEnv('OTEL_BSP_EXPORT_TIMEOUT', '600000')
  const sandbox = await start()
  await submit(sandbox, 'ana.traced@example.com', '01')
  expect([(await stop(sandbox)).code, asked]).toEqual([0, 1])
})

it('records nothing without an SDK, and logs each request', async () => {
  const collector = await openCollector()
  traceTo(collector.url, '')
  const sandbox = await start('--access-log', '--log-level', 'error')
  await fetch(`${sandbox.url}/api/v1/lead/ana@example.com/status?token=s3cret&event=approved`)
  await fetch(`${sandbox.url}/_sandbox/health/ready`)
  const { code, stderr } = await stop(sandbox)
  expect([code, collector.spans()]).toEqual([0, []])
  expect(
    stderr
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toMatchObject([
    { method: 'GET', path: '/api/v1/lead/*/status', operation: 'reportEvent', status: 401 },
    { method: 'GET', path: '/_sandbox/health/ready', operation: 'ready', status: 200 },
  ])
  expect(stderr).not.toMatch(/ana|s3cret/)
})
