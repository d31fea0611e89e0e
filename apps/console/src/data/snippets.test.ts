import { execFileSync } from 'node:child_process'
import type { Account } from '@lead-distribution/control-client'
import { describe, expect, it } from 'vitest'
import { curlOf, curlOfCall, sdkCodeOf, type TestSource, vitestOf } from './snippets.ts'

const request = { headers: { 'content-type': 'application/json' }, body: `{"name":"O'Hara $HOME \`id\` \\" \\\\"}` }
const source = { baseUrl: 'http://127.0.0.1:4010/api/v1', apiKey: "key'1", request }

it('quotes a curl command so that a shell passes every argument unchanged', () => {
  const printed = execFileSync('sh', ['-c', curlOf(source).replace('curl', `printf '%s\\n'`)], { encoding: 'utf8' })
  expect(printed.trimEnd().split('\n')).toEqual([
    '-sS',
    'http://127.0.0.1:4010/api/v1/lead',
    '-H',
    "apikey: key'1",
    '-H',
    'content-type: application/json',
    '-d',
    request.body,
  ])
})

it('writes a call of the journal with what is kept of it', () => {
  const headers = { apikey: '***', 'content-length': '9' }
  const call = { method: 'PATCH', url: 'http://127.0.0.1:4010/api/v1/lead/l/status', headers }
  expect(curlOfCall({ ...call, body: '{"status":"approved"}' }).split(' \\\n  ')).toEqual([
    `curl -sS -X PATCH '${call.url}'`,
    "-H 'apikey: ***'",
    `-d '{"status":"approved"}'`,
  ])
  expect(curlOfCall(call)).not.toContain('-d')
})

it('prefers the headers of a test request to its own', () => {
  const unknownKey = { ...source, request: { ...request, headers: { apikey: 'nobody' } } }
  expect(curlOf(unknownKey)).toContain("-H 'apikey: nobody'")
  expect(curlOf(unknownKey)).not.toContain("key'")
})

it('writes the lead as an object into the SDK code', () => {
  const code = sdkCodeOf(source)
  const object = code.slice(code.indexOf('submit(') + 7, code.indexOf(')\n\nswitch'))
  expect(JSON.parse(object)).toEqual(JSON.parse(request.body))
})

it('quotes the environment of the SDK code for a shell', () => {
  const [, environment] = /^\/\/ (.*) node submit\.mjs$/m.exec(sdkCodeOf(source)) ?? []
  const script = `${environment} sh -c 'echo "$LEAD_BASE_URL $LEAD_PUBLISHER_API_KEY"'`
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe("http://127.0.0.1:4010/api/v1 key'1\n")
})

describe('a vitest test', () => {
  const account = { publisher: { publisher_id: 'pub-1' }, products: [{ product_id: 'prod-1' }] } as unknown as Account
  const rejected = { lead_id: 'l1', status: 'rejected', rejection_reason: 'blacklisted', message: 'm' }
  const testOf = (body: unknown, more: Partial<TestSource> = {}) =>
    vitestOf(
      { ...source, request: { ...request, body: typeof body === 'string' ? body : JSON.stringify(body) } },
      { account, before: [], expected: rejected, ...more },
    )

  it('expects the outcome, without ids and messages', () => {
    const code = testOf({})
    const expected = code.slice(code.indexOf('toMatchObject(') + 14, code.lastIndexOf(')\n})'))
    expect(JSON.parse(expected)).toEqual({ status: 'rejected', rejection_reason: 'blacklisted' })
  })

  it('sends the ids of its own tenant and keeps deliberate mistakes', () => {
    expect(testOf({ publisher_id: 'pub-1', product_id: 'prod-1' })).toContain(
      'publisher_id: publisher.publisher_id,\n    product_id: products[0]?.product_id,\n',
    )
    expect(testOf({ publisher_id: 'other', product_id: 'unknown' })).not.toMatch(/publisher\.publisher_id|products\[/)
    expect(testOf('{"broken":')).toContain(`submit({"content-type":"application/json"}, "{\\"broken\\":")`)
  })

  it('sends earlier requests first', () => {
    const code = testOf({ second: true }, { before: [{ headers: {}, body: '{"first":true}' }] })
    expect(code.indexOf('"first"')).toBeGreaterThan(0)
    expect(code.indexOf('"first"')).toBeLessThan(code.indexOf('"second"'))
  })
})
