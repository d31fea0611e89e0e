import { describe, expect, it } from 'vitest'
import { RefusedStart } from '../../open-sandbox.ts'
import type { EndedSpan } from '../../telemetry/tracer.ts'
import { attributesOf, openCollector } from './collector.fixture.ts'
import { tracesOf } from './trace-environment.ts'

const span: EndedSpan = {
  traceId: '0'.repeat(31).concat('1'),
  spanId: '0'.repeat(15).concat('1'),
  parentId: undefined,
  name: 'GET',
  kind: 'server',
  startMs: 1,
  endMs: 2,
  attributes: {},
  failed: false,
}
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
