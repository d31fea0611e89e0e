import { execFileSync } from 'node:child_process'
import type { TestRequest } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { curlOf, curlOfRequest } from './curl.ts'
import { sdkCodeOf, vitestOf } from './snippets.ts'
import type { TestTenant } from './test-tenant.ts'

const request = { headers: { 'content-type': 'application/json' }, body: `{"name":"O'Hara $HOME \`id\` \\" \\\\"}` }
const source = { baseUrl: 'http://127.0.0.1:4010/api/v1', apiKey: "key'1", requests: [request] }

/** The arguments that a shell passes to curl. */
function argumentsOf(command: string): string[] {
  const printed = execFileSync('sh', ['-c', command.replace('curl', `printf '%s\\n'`)], { encoding: 'utf8' })
  return printed.trimEnd().split('\n')
}

it('quotes a curl command so that a shell passes every argument unchanged', () => {
  expect(argumentsOf(curlOf(source))).toEqual([
    '-sS',
    'http://127.0.0.1:4010/api/v1/lead',
    '-H',
    "apikey: key'1",
    '-H',
    'content-type: application/json',
    '--data-raw',
    request.body,
  ])
})

it("passes a body that is too long for an argument to curl's standard input", () => {
  const body = `'${'x'.repeat(200_000)}`
  const command = curlOf({ ...source, requests: [{ headers: {}, body }] })
  const sent = execFileSync('sh', { input: `curl() { cat; }\n${command}`, encoding: 'utf8', maxBuffer: 1e6 })
  expect(sent).toBe(body)
})

it('writes a journal request with its stored headers and body', () => {
  const headers = { apikey: '***', 'content-length': '9' }
  const entry = { method: 'PATCH', url: 'http://127.0.0.1:4010/api/v1/lead/l/status', headers }
  expect(curlOfRequest({ ...entry, body: '{"status":"approved"}' }).split(' \\\n  ')).toEqual([
    `curl -sS -X PATCH '${entry.url}'`,
    "-H 'apikey: ***'",
    "-H 'content-type:'",
    `--data-raw '{"status":"approved"}'`,
  ])
  expect(curlOfRequest(entry)).not.toContain('--data')
})

it("prefers a test request's headers to the default ones", () => {
  const unknownKey = { ...source, requests: [{ ...request, headers: { apikey: 'nobody' } }] }
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
  const settings = { semantic_refusals: 'rejected_200' } as TestTenant['settings']
  const tenant = { frozenAt: '2031-05-06T07:08:09.000Z', settings, change: {}, product_ids: ['prod-1'] }
  const rejected = { lead_id: 'l1', status: 'rejected', rejection_reason: 'blacklisted', message: 'm' }
  const testOf = (
    body: unknown,
    before: readonly TestRequest[] = [],
    requiresToken = false,
    change: TestTenant['change'] = {},
  ) =>
    vitestOf(
      {
        ...source,
        requests: [...before, { ...request, body: typeof body === 'string' ? body : JSON.stringify(body) }],
      },
      { publisher_id: 'pub-1', tenant: { ...tenant, change }, expected: rejected, requiresToken },
    )

  it('expects the outcome, without ids and messages', () => {
    const code = testOf({})
    const expected = code.slice(code.indexOf('toMatchObject(') + 14, code.lastIndexOf(')\n})'))
    expect(JSON.parse(expected)).toEqual({ status: 'rejected', rejection_reason: 'blacklisted' })
  })

  it('creates its tenant at the same time, and with the settings that matter', () => {
    const code = testOf({})
    const options = code.slice(code.indexOf('createTenant(') + 13, code.indexOf(')\n  onTestFinished'))
    expect(JSON.parse(options)).toEqual({
      frozenAt: '2031-05-06T07:08:09.000Z',
      settings: { semantic_refusals: 'rejected_200' },
    })
  })

  it('replaces the products of its tenant if they differ, and keeps their ids in the lead', () => {
    const products = [{ product_id: 'prod-1', name: 'Loan', active: true, criteria: { min_age: 21 } }]
    const code = testOf({ publisher_id: 'pub-1', product_id: 'prod-1' }, [], false, { products })
    expect(code).toContain('remove: [...products.map(({ product_id }) => product_id)],\n    products: [\n')
    expect(code).toContain('publisher_id: publisher.publisher_id,\n')
    expect(code).not.toContain('products[0]')
    expect(testOf({})).not.toContain('update(')
  })

  it('takes the token of a sandbox that requires one from the environment', () => {
    expect(testOf({})).toContain(`connectSandbox("${source.baseUrl}")`)
    expect(testOf({}, [], true)).toContain(
      `connectSandbox({ baseUrl: "${source.baseUrl}", adminToken: process.env.LEAD_SANDBOX_ADMIN_TOKEN })`,
    )
  })

  it('sends the ids of its own tenant and keeps deliberate mistakes', () => {
    expect(testOf({ publisher_id: 'pub-1', product_id: 'prod-1' })).toContain(
      'publisher_id: publisher.publisher_id,\n    product_id: products[0]?.product_id,\n',
    )
    expect(testOf({ publisher_id: 'other', product_id: 'unknown' })).not.toMatch(/publisher\.publisher_id|products\[/)
    expect(testOf('{"broken":')).toContain(`submit({"content-type":"application/json"}, "{\\"broken\\":")`)
  })

  it('sends earlier requests first', () => {
    const code = testOf({ second: true }, [{ headers: {}, body: '{"first":true}' }])
    expect(code.indexOf('"first"')).toBeGreaterThan(0)
    expect(code.indexOf('"first"')).toBeLessThan(code.indexOf('"second"'))
  })
})
