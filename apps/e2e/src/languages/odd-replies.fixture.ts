import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { openReceiver } from '../adapters/receiver.ts'

type Reply = (response: ServerResponse) => void

/** A response with this status and body. An object is sent as JSON. */
export const reply =
  (status: number, body: object | string | Buffer = '', headers: Record<string, string> = {}): Reply =>
  response => {
    const isText = typeof body === 'string' || Buffer.isBuffer(body)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(isText ? body : JSON.stringify(body))
  }

/** Responses that any HTTP service may send instead of the expected one, each with this JSON. */
export function transportsOf(genuine: object) {
  const text = JSON.stringify(genuine)
  const cut =
    (headers: Record<string, string | number>, sent: string, status: number) => (response: ServerResponse) => {
      response.writeHead(status, headers).write(sent)
      response.socket?.end()
    }
  return {
    whole: {
      'after a byte order mark': reply(200, `\uFEFF${text}`),
      'with nested fields of the same names': reply(
        200,
        `{"data":{"status":"x","lead_id":"x"},"list":[{"status":1}],${text.slice(1)}`,
      ),
      'with escapes': reply(200, text.replaceAll('/', '\\/').replace('status', '\\u0073tatus')),
      'with bytes that are no UTF-8': reply(200, Buffer.from(`${text.slice(0, -1)},"more":"\xff"}`, 'latin1')),
      'with status 201': reply(201, text),
    },
    lost: {
      nothing: reply(200),
      'a page': reply(200, '<!doctype html><p>Sign in</p>', { 'content-type': 'text/html' }),
      'a list': reply(200, [genuine]),
      'trailing data': reply(200, `${text}x`),
      'a body that is cut': cut({ 'content-length': 1000 }, text, 200),
      'chunks that are cut': cut({}, text.slice(0, 20), 200),
      'an error that is cut': cut({ 'content-length': 1000 }, '{"error":', 400),
      'no response': (response: ServerResponse) => void response.socket?.destroy(),
    },
  }
}

export const reportedLead = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const recorded = { lead_id: reportedLead, status: 'received', event: 'approved' }
const { whole, lost } = transportsOf(recorded)

/** Responses to a report, and the client's reaction: it is done, retries, or stops with an error. */
const oddReports: readonly [
  readonly ['ends', string, Reply],
  ...(readonly ['ends' | 'repeats' | 'stops', string, Reply])[],
] = [
  ['ends', 'after the usual reply', reply(200, recorded)],
  ['ends', 'after a lead in capitals', reply(200, { ...recorded, lead_id: reportedLead.toUpperCase() })],
  ...(['with nested fields of the same names', 'with status 201'] as const).map(
    name => ['ends', name, whole[name]] as const,
  ),
  ...(['trailing data', 'a body that is cut', 'no response'] as const).map(
    name => ['repeats', `after ${name}`, lost[name]] as const,
  ),
  ...[408, 429, 500, 503, 520].map(status => ['repeats', `after ${status}`, reply(status, recorded)] as const),
  ...[302, 400, 404, 501].map(status => ['stops', `after ${status}`, reply(status, recorded)] as const),
  ['stops', 'after no fields', reply(200, {})],
  ['stops', 'after another lead', reply(200, { ...recorded, lead_id: 'x' })],
]

/** Tests that a client reacts to odd responses like every other. The client resolves to true once its report is recorded. */
export function testOddReports(report: (origin: string) => Promise<boolean>): void {
  // Most clients wait before a retry.
  it.concurrent.each(oddReports)('%s: %s', async (verdict, _name, odd) => {
    await using service = await openReceiver((response, nth) => (nth === 1 ? odd : oddReports[0][2])(response))
    const recorded = await report(service.url)
    expect([recorded, service.received.length]).toEqual([verdict !== 'stops', verdict === 'repeats' ? 2 : 1])
  })
}
