import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type SandboxServer, startServer } from '../server.ts'
import {
  createTracer,
  type EndedSpan,
  readTraceparent,
  type SpanParent,
  type TraceOptions,
  traceSandbox,
} from './traces.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

/** A tracer, and the spans that ended. */
function tracerOf(sample: TraceOptions['sample'] = (_, callerRecords) => callerRecords ?? true) {
  const spans: EndedSpan[] = []
  const tracer = createTracer({ sample, add: span => void spans.push(span) })
  const run = <Result>(name: string, parent: SpanParent, work: () => Promise<Result>) =>
    tracer.span({ name, kind: 'internal', parent }, work)
  return { tracer, spans, run }
}

describe('a traceparent', () => {
  it.each([
    [`00-${traceId}-${spanId}-01`, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-03`, true],
    [`cc-${traceId}-${spanId}-01-what-a-later-version-says`, true],
  ])('%s is read', (header, recorded) => {
    expect(readTraceparent(header)).toEqual({ traceId, spanId, recorded })
  })

  it.each([
    undefined,
    '',
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}x-${spanId}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  ])('%s is ignored', header => {
    expect(readTraceparent(header)).toBeUndefined()
  })
})

describe('a span', () => {
  it("belongs to its caller's trace, and those below it to it", async () => {
    const { spans, run } = tracerOf()
    const traceparent = `00-${traceId}-${spanId}-01`
    await run('request', { traceparent }, () => run('transaction', 'around', async () => undefined))
    const [inner, outer] = spans
    expect(outer).toMatchObject({ name: 'request', traceId, parentId: spanId, failed: false })
    expect(inner).toMatchObject({ name: 'transaction', traceId, parentId: outer?.spanId })
    expect(inner?.startMs).toBeGreaterThanOrEqual(outer?.startMs ?? 0)
    expect(outer?.endMs).toBeGreaterThanOrEqual(inner?.endMs ?? 0)
  })

  it('begins a trace where the caller has none', async () => {
    const { spans, run } = tracerOf()
    await run('one', { traceparent: undefined }, async () => undefined)
    await run('other', 'none', async () => undefined)
    expect(spans.map(({ parentId }) => parentId)).toEqual([undefined, undefined])
    expect(spans[0]?.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(spans[0]?.traceId).not.toBe(spans[1]?.traceId)
  })

  it('is not recorded where the caller does not record, nor are those below it', async () => {
    const { spans, run } = tracerOf()
    const traceparent = `00-${traceId}-${spanId}-00`
    expect(await run('request', { traceparent }, () => run('transaction', 'around', async () => 'done'))).toBe('done')
    expect(spans).toEqual([])
  })

  it('is not recorded below one that has ended: what a call wakes goes on for others', async () => {
    const { spans, run } = tracerOf()
    const ended = Promise.withResolvers<void>()
    let later: Promise<unknown> = Promise.resolve()
    await run('request', 'none', async () => {
      later = ended.promise.then(() => run('transaction', 'around', async () => undefined))
    })
    ended.resolve()
    await later
    expect(spans.map(({ name }) => name)).toEqual(['request'])
  })

  it('keeps traces of concurrent work apart', async () => {
    const { spans, run } = tracerOf()
    const work = (name: string) => run(name, 'none', () => run(`${name}/below`, 'around', async () => undefined))
    await Promise.all(['a', 'b', 'c'].map(work))
    for (const name of ['a', 'b', 'c']) {
      const [inner, outer] = [`${name}/below`, name].map(each => spans.find(span => span.name === each))
      expect([inner?.traceId, inner?.parentId]).toEqual([outer?.traceId, outer?.spanId])
    }
  })

  it('fails with its work, whose error goes on and is not in it', async () => {
    const { spans, run } = tracerOf()
    const failure = run('request', 'none', () => Promise.reject(new Error('s3cret')))
    await expect(failure).rejects.toThrow('s3cret')
    expect(spans).toMatchObject([{ failed: true }])
    expect(JSON.stringify(spans)).not.toContain('s3cret')
  })
})

/** A server that records everything. */
async function traced() {
  const spans: EndedSpan[] = []
  const traces = traceSandbox({ sample: () => true, add: span => void spans.push(span), close: async () => undefined })
  const server = await startServer({ port: 0, logLevel: 'silent', traces })
  onTestFinished(() => server.close())
  return { server, spans }
}

const caller = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }

async function submit({ account }: SandboxServer, email: string) {
  const lead = createTestLeads(account()).distributed({ customer: { contact: { email: { address: email } } } })
  const { publisher, base_url } = account()
  const headers = {
    'content-type': 'application/json',
    apikey: publisher.api_key,
    traceparent: `00-${caller.trace}-${caller.span}-01`,
  }
  const response = await fetch(`${base_url}/lead`, { method: 'POST', headers, body: JSON.stringify(lead) })
  return (await response.json()) as { lead_id: string }
}

it("records a request in its caller's trace, and its transaction below it", async () => {
  const { server, spans } = await traced()
  await submit(server, 'ana.traced@example.com')
  const request = spans.find(({ kind }) => kind === 'server')
  expect(request).toMatchObject({
    traceId: caller.trace,
    parentId: caller.span,
    name: 'POST /api/v1/lead',
    failed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/lead',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'url.path': '/api/v1/lead',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(server.url).port),
      'lead_sandbox.operation': 'submitLead',
    },
  })
  const below = spans.filter(({ parentId }) => parentId === request?.spanId)
  expect(below.map(({ name }) => name)).toEqual(['storage transaction'])
})

it('records the callback that an event leads to, in a trace of its own', async () => {
  const { server, spans } = await traced()
  const { lead_id } = await submit(server, 'ana.callback@example.com')
  const tenant = `${server.url}/_sandbox/v1/tenants/demo`
  const lead = await (await fetch(`${tenant}/leads/${lead_id}`)).json()
  await fetch(`${lead.deliveries[0].postback_url}&event=approved`)
  await fetch(`${tenant}/callbacks/wait?lead_id=${lead_id}&timeout_ms=20000`)
  expect(spans.filter(({ kind }) => kind === 'client')).toMatchObject([
    {
      name: 'GET',
      parentId: undefined,
      failed: false,
      attributes: {
        'http.request.method': 'GET',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(server.url).port),
        'url.full': `${server.url}/_sandbox/inbox/*`,
        'http.response.status_code': 200,
        'lead_sandbox.lead_id': lead_id,
        'lead_sandbox.event': 'loan_issued',
      },
    },
  ])
})

it('records a connection that a fault cut as an error without a status', async () => {
  const { server, spans } = await traced()
  await fetch(`${server.url}/_sandbox/v1/tenants/demo/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ match: { operation: 'submitLead' }, effect: { reset: true } }),
  })
  await expect(submit(server, 'ana.cut@example.com')).rejects.toThrow()
  const request = spans.find(({ name }) => name === 'POST /api/v1/lead')
  expect(request).toMatchObject({ failed: true, attributes: { 'error.type': 'cut' } })
  expect(request?.attributes['http.response.status_code']).toBeUndefined()
})

it('records no key, no token and nothing of a person, whatever a path holds', async () => {
  const { server, spans } = await traced()
  await submit(server, 'ana.private@example.com')
  const { publisher } = server.account()
  await fetch(`${server.url}/api/v1/lead/ana.private@example.com/status?token=${publisher.api_key}&event=approved`)
  await fetch(`${server.url}/_sandbox/v1/tenants/ana.private`)
  const text = JSON.stringify(spans)
  expect(spans.filter(({ kind }) => kind === 'server').length).toBe(3)
  for (const secret of ['ana.private', publisher.api_key, 'token']) expect(text).not.toContain(secret)
})
