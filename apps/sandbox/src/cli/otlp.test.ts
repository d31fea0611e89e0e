import { createServer, type IncomingHttpHeaders } from 'node:http'
import { json } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { listening } from '../listening.fixture.ts'
import { RefusedStart } from '../open-sandbox.ts'
import type { EndedSpan } from '../telemetry/traces.ts'
import { createOtlpExporter, type OtlpOptions, tracesOf } from './otlp.ts'

const span: EndedSpan = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentId: undefined,
  name: 'POST /api/v1/lead',
  kind: 'server',
  startMs: 1_781_524_800_000.25,
  endMs: 1_781_524_800_001.5,
  attributes: { 'http.request.method': 'POST', 'http.response.status_code': 200, 'http.route': undefined },
  failed: false,
}

/** An exporter that sends when its batch is full or it is closed, and what it reported. */
function exporterTo(url: string, options: Partial<OtlpOptions> = {}) {
  const problems: string[] = []
  const exporter = createOtlpExporter({
    url: `${url}/v1/traces`,
    headers: { 'x-api-key': 'k' },
    resource: { 'service.name': 'lead-sandbox' },
    timeoutMs: 10_000,
    delayMs: 1_000_000,
    maxQueue: 2_048,
    onProblem: problem => problems.push(problem),
    ...options,
  })
  const add = (count: number) => {
    for (let nth = 0; nth < count; nth++) exporter.add({ ...span, name: String(nth) })
  }
  return { ...exporter, addMany: add, problems }
}

describe('the exporter of traces', () => {
  it('sends spans as the protocol has them in JSON', async () => {
    const collector = await openCollector()
    const exporter = exporterTo(collector.url)
    exporter.add(span)
    exporter.add({ ...span, parentId: '00f067aa0ba902b7', kind: 'client', failed: true })
    await exporter.close()
    const [{ path, headers, body } = expect.fail('Nothing was received.')] = collector.received
    expect([path, headers['content-type'], headers['x-api-key']]).toEqual(['/v1/traces', 'application/json', 'k'])
    const first = {
      traceId: span.traceId,
      spanId: span.spanId,
      name: span.name,
      kind: 2,
      status: {},
      startTimeUnixNano: '1781524800000250000',
      endTimeUnixNano: '1781524800001500000',
      attributes: [
        { key: 'http.request.method', value: { stringValue: 'POST' } },
        { key: 'http.response.status_code', value: { intValue: '200' } },
      ],
    }
    expect(body).toEqual({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'lead-sandbox' } }] },
          scopeSpans: [
            {
              scope: { name: '@lead-distribution/sandbox' },
              spans: [first, { ...first, parentSpanId: '00f067aa0ba902b7', kind: 3, status: { code: 2 } }],
            },
          ],
        },
      ],
    })
  })

  it('sends a full batch at once, and the others soon', async () => {
    const collector = await openCollector()
    const { addMany } = exporterTo(collector.url, { delayMs: 1 })
    addMany(513)
    await expect.poll(() => collector.spans().length).toBe(513)
    expect(collector.received.length).toBe(2)
  })

  it('keeps no more spans than its queue holds, and sends those again that a collector cannot take now', async () => {
    const collector = await openCollector({ statuses: [503] })
    const { addMany, problems } = exporterTo(collector.url, { maxQueue: 3, delayMs: 1 })
    addMany(5)
    await expect.poll(() => collector.received.length).toBe(2)
    expect(collector.spans().map(({ name }) => name)).toEqual(['0', '1', '2', '0', '1', '2'])
    expect(problems).toEqual(['The trace collector responded 503.'])
  })

  it('drops what a collector refuses, and reports that once until it takes spans again', async () => {
    const collector = await openCollector({ statuses: [401, 401, 200, 401] })
    const { add, problems } = exporterTo(collector.url, { delayMs: 1 })
    for (let round = 1; round <= 4; round++) {
      add(span)
      await expect.poll(() => collector.received.length).toBe(round)
      await expect.poll(() => problems.length).toBe(round < 4 ? 1 : 2)
    }
  })

  it('ends though a collector does not answer, or is not there', async () => {
    const silent = await openCollector({ silent: true })
    const waiting = exporterTo(silent.url)
    waiting.addMany(600)
    await waiting.close()
    expect(waiting.problems).toEqual(['The trace collector could not be reached (AbortError).'])
    const gone = exporterTo('http://127.0.0.1:1')
    gone.add(span)
    await gone.close()
    expect(gone.problems).toEqual([expect.stringMatching(/^The trace collector could not be reached \(\w+\)\.$/)])
  })
})

const traces = (environment: Record<string, string>) => tracesOf(environment, problem => expect.fail(problem))
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

describe('the variables of OpenTelemetry', () => {
  it('name the collector, its headers and this service', async () => {
    const collector = await openCollector()
    const opened = traces({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/collect/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=s3cret, x-team=lead%20team',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=qa',
      OTEL_SERVICE_NAME: 'sandbox-of-qa',
    })
    opened?.add(span)
    await opened?.close()
    const [{ path, headers, body } = expect.fail('Nothing was received.')] = collector.received
    expect([path, headers['x-api-key'], headers['x-team']]).toEqual(['/collect/v1/traces', 's3cret', 'lead team'])
    expect(attributesOf(body.resourceSpans[0]?.resource ?? expect.fail())).toEqual({
      'service.name': 'sandbox-of-qa',
      'deployment.environment.name': 'qa',
    })
  })

  it('of traces alone go before those of everything, and their endpoint is taken unchanged', async () => {
    const collector = await openCollector()
    const opened = traces({ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/t` })
    opened?.add(span)
    await opened?.close()
    expect(collector.received.map(({ path }) => path)).toEqual(['/t'])
  })

  it.each([
    ['name no collector', {}],
    ['name an empty one', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    ['switch all off', { ...endpoint, OTEL_SDK_DISABLED: 'true' }],
    ['want no traces', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
  ])('ask for no traces where they %s', (_title, environment) => {
    expect(traces(environment)).toBeUndefined()
  })

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '127.0.0.1:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 's3cret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-api-key=%s3cret'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_TRACES_SAMPLER_ARG', '-0.1'],
  ])('are refused by name: %s=%s', (name, value) => {
    const open = () => traces({ ...endpoint, [name]: value })
    expect(open).toThrow(RefusedStart)
    expect(open).toThrow(name)
    expect(open).not.toThrow('s3cret')
  })
})

describe('a sampler', () => {
  const low = `${'f'.repeat(19)}${'0'.repeat(13)}`
  const high = `${'0'.repeat(19)}${'f'.repeat(13)}`
  const sampler = (name: string, ratio = '1') =>
    traces({ ...endpoint, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio })?.sample ?? expect.fail()

  it('follows the caller by default, and records what begins here', () => {
    const sample = traces(endpoint)?.sample ?? expect.fail()
    expect([sample(low, true), sample(low, false), sample(low, undefined)]).toEqual([true, false, true])
  })

  it.each([
    ['always_on', '1', [true, true, true, true]],
    ['always_off', '1', [false, false, false, false]],
    ['traceidratio', '0.5', [true, false, true, false]],
    ['traceidratio', '0', [false, false, false, false]],
    ['traceidratio', '1', [true, true, true, true]],
    ['parentbased_always_off', '1', [false, false, false, true]],
    ['parentbased_traceidratio', '0.5', [true, false, false, true]],
  ])(
    '%s of %s records by the id of the trace, and by its caller only where its name says so',
    (name, ratio, expected) => {
      const sample = sampler(name, ratio)
      const recorded = [sample(low, undefined), sample(high, undefined), sample(low, false), sample(high, true)]
      expect(recorded).toEqual(expected)
    },
  )
})

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: string } }[]
  readonly status: { code?: number }
}

interface ReceivedBody {
  resourceSpans: { resource: Pick<ReceivedSpan, 'attributes'>; scopeSpans: { spans: ReceivedSpan[] }[] }[]
}

/** The requests that a collector received. */
export interface Received {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: ReceivedBody
}

/** A collector on this machine, closed with the test. It answers `statuses` in turn, and from the last on 200. */
export async function openCollector({ statuses = [] as number[], silent = false } = {}) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    received.push({ path: request.url, headers: request.headers, body: (await json(request)) as ReceivedBody })
    if (!silent) response.writeHead(statuses.shift() ?? 200, { 'content-type': 'application/json' }).end('{}')
  })
  const url = await listening(server)
  const spans = () =>
    received.flatMap(({ body }) => body.resourceSpans.flatMap(each => each.scopeSpans[0]?.spans ?? []))
  return { url, received, spans }
}

/** The attributes of a span by their names. */
export function attributesOf({ attributes }: Pick<ReceivedSpan, 'attributes'>): Record<string, string | undefined> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
}
