import { eventReply, eventReport, loanProductData, uuid } from '@lead-distribution/contract/shapes'
import { expect, it } from 'vitest'
import type { HttpRequest } from './http-message.ts'
import type { DeclaredOperation } from './operation.ts'
import { readInput } from './read-input.ts'
import { httpRequest } from './request.fixture.ts'
import { type CallOf, createService, type HandledOperation, type HandlerResult, refuseCall } from './service.ts'

const lead = '40000000-0000-4000-8000-000000000001'
const declared = { input: eventReport, reply: eventReply } as const

const operations = {
  report: { ...declared, methods: ['POST'], path: '/leads/:lead_id', in: 'body', status: 201 },
  pixel: { ...declared, methods: ['GET'], path: '/leads/:lead_id', in: 'query' },
  free: { ...declared, methods: ['PUT'], path: '/leads/:lead_id', in: 'body', validation: 'handler' },
  show: { reply: uuid, methods: ['DELETE'], path: '/leads/:lead_id', in: 'none' },
} as const

type Handle<Declared extends DeclaredOperation> = (call: CallOf<Declared>) => Promise<HandlerResult<Declared>>
type Own = { readonly [Name in keyof typeof operations]: Handle<(typeof operations)[Name]> }

/** Handles a request by operations with handlers. */
async function respondBy(request: HttpRequest, handled: Record<string, HandledOperation>, strictQuery = true) {
  const handle = createService({
    basePath: '/api',
    operations: handled,
    layers: [readInput({ maxBodyBytes: 1000, strictQuery }), refuseCall],
    onError: error => expect.fail(String(error)),
  })
  return handle(request)
}

/** Runs a request through handlers; those that a test omits are never reached. */
async function respond(request: HttpRequest, given: Partial<Own>, strictQuery = true) {
  const unreached = () => expect.unreachable()
  const handled = Object.entries(operations).map(([name, operation]) => [
    name,
    { ...operation, handle: given[name as keyof Own] ?? unreached },
  ])
  const response = await respondBy(request, Object.fromEntries(handled), strictQuery)
  return { status: response?.status, json: JSON.parse(response?.body ?? 'null') }
}

const path = `/api/leads/${lead}`
const reply = { lead_id: lead, event: 'approved', status: 'received' } as const

it('passes the body and the path parameters to a handler, and responds with the declared status', async () => {
  const text = JSON.stringify({ token: 't', event: 'approved', ref: '12' })
  const report: Own['report'] = async ({ input, params }) => {
    const { token, event }: { token: string; event: string } = input
    expect([token, event, params.lead_id]).toEqual(['t', 'approved', lead])
    return { body: reply }
  }
  expect(await respond(httpRequest('POST', path, { text }), { report })).toEqual({ status: 201, json: reply })
})

it('reads digits in a query as a string if the shape expects a string', async () => {
  const pixel: Own['pixel'] = async ({ input }) => {
    expect(input).toMatchObject({ token: '17', ref: '42' })
    return { body: reply }
  }
  const request = httpRequest('GET', `${path}?token=17&event=approved&ref=42`)
  expect(await respond(request, { pixel })).toEqual({ status: 200, json: reply })
})

it('refuses invalid input, naming every field', async () => {
  const text = JSON.stringify({ event: 5 })
  const { status, json } = await respond(httpRequest('POST', path, { text }), {})
  expect(status).toBe(400)
  expect(json.details.map(({ field }: { field: string }) => field).sort()).toEqual(['event', 'token'])
})

it('refuses a repeated query parameter', async () => {
  const { status, json } = await respond(httpRequest('GET', `${path}?token=1&token=2&event=approved`), {})
  expect([status, json.details]).toEqual([400, [{ field: 'token', issue: 'must be given only once' }]])
})

it('leaves the input to a handler that validates it itself', async () => {
  const free: Own['free'] = async ({ input }) => {
    const unvalidated: unknown = input
    expect(unvalidated).toEqual([1])
    return { body: reply }
  }
  expect((await respond(httpRequest('PUT', path, { text: '[1]' }), { free })).status).toBe(200)
})

it('refuses the query of an operation without one in strict mode', async () => {
  const show: Own['show'] = async () => ({ status: 404, body: { error: 'not_found', message: 'No.' } })
  const request = httpRequest('DELETE', `${path}?all=1`)
  expect((await respond(request, { show })).json.details).toEqual([{ field: 'all', issue: expect.any(String) }])
  expect(await respond(request, { show }, false)).toEqual({ status: 404, json: { error: 'not_found', message: 'No.' } })
})

it('sends the stream of an operation that streams, and its refusal like any other', async () => {
  const streaming = { watch: { methods: ['GET'], path: '/watch', in: 'none', streams: true, reply: uuid } } as const
  async function* stream() {
    yield 'data: 1\n\n'
  }
  const refusal = { status: 409, body: { error: 'too_many', message: 'No.' } }
  const handleWith = (handle: Handle<typeof streaming.watch>) =>
    respondBy(httpRequest('GET', '/api/watch'), { watch: { ...streaming.watch, handle } })
  const given = stream()
  expect(await handleWith(async () => ({ stream: given }))).toEqual({
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
    body: '',
    stream: given,
    operation: 'watch',
    route: '/api/watch',
  })
  const refused = await handleWith(async () => refusal)
  expect([refused?.status, refused?.stream, JSON.parse(refused?.body ?? '')]).toEqual([409, undefined, refusal.body])
})

it('passes the raw bytes to a handler that parses its body itself', async () => {
  const raw = { keep: { methods: ['POST'], path: '/raw', in: 'body', input: eventReport, lines: 'input' } } as const
  const received: unknown[] = []
  const handle: Handle<typeof raw.keep> = async ({ input }) => {
    received.push(new TextDecoder().decode(input))
    return { body: {} as never }
  }
  expect(
    (
      await respondBy(
        httpRequest('POST', '/api/raw', { text: '{not json', headers: { 'content-type': 'application/x-ndjson' } }),
        { keep: { ...raw.keep, handle } },
      )
    )?.status,
  ).toBe(200)
  expect(received).toEqual(['{not json'])
})

it.each([
  ['token=t&event=approved&ref=1a', { ref: '1a' }],
  ['token=t&event=approved&ref=a1', { ref: 'a1' }],
  ['token=1234567890123456&event=approved', { token: '1234567890123456' }],
])('passes the query %s to a handler as sent', async (query, expected) => {
  const pixel: Own['pixel'] = async ({ input }) => {
    expect(input).toMatchObject(expected)
    return { body: reply }
  }
  expect((await respond(httpRequest('GET', `${path}?${query}`), { pixel })).status).toBe(200)
})

it('reads digits in a query as a number if the shape expects one, and names its bound', async () => {
  const loans = {
    quote: { methods: ['GET'], path: '/quote', in: 'query', input: loanProductData, reply: loanProductData },
  } as const
  const handle: Handle<typeof loans.quote> = async ({ input }) => ({ body: input })
  const quoted = async (amount: string) => {
    const target = `/api/quote?loan_amount=${amount}&loan_purpose=home_improvement&loan_term_months=24`
    return JSON.parse(
      (await respondBy(httpRequest('GET', target), { quote: { ...loans.quote, handle } }))?.body ?? 'null',
    )
  }
  expect(await quoted('5000')).toEqual({
    loan_amount: 5000,
    loan_purpose: 'home_improvement',
    loan_term_months: 24,
  })
  expect((await quoted('1')).details).toEqual([{ field: 'loan_amount', issue: 'must be at least 500' }])
})
