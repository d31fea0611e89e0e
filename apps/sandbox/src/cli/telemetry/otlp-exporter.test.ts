import { describe, expect, it } from 'vitest'
import type { EndedSpan } from '../../telemetry/tracer.ts'
import { openCollector } from './collector.fixture.ts'
import { createOtlpExporter, type OtlpOptions } from './otlp-exporter.ts'

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
    expect(problems).toEqual(['The collector of traces answered 503.'])
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
    expect(waiting.problems).toEqual(['The collector of traces was not reached (AbortError).'])
    const gone = exporterTo('http://127.0.0.1:1')
    gone.add(span)
    await gone.close()
    expect(gone.problems).toEqual([expect.stringMatching(/^The collector of traces was not reached \(\w+\)\.$/)])
  })
})
