import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { curlOf, sdkCodeOf, vitestOf } from './snippets.ts'

const request = { headers: { 'content-type': 'application/json' }, body: `{"name":"O'Hara $HOME \`id\` \\" \\\\"}` }
const source = { baseUrl: 'http://127.0.0.1:4010/api/v1', apiKey: "key'1", request }

it('quotes a curl command so that a shell passes every argument on unchanged', () => {
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

it('keeps the headers of a test request before its own', () => {
  const unknownKey = { ...source, request: { ...request, headers: { apikey: 'nobody' } } }
  expect(curlOf(unknownKey)).toContain("-H 'apikey: nobody'")
  expect(curlOf(unknownKey)).not.toContain("key'")
})

it('writes the lead into the code of the SDK as an object', () => {
  const code = sdkCodeOf(source)
  const object = code.slice(code.indexOf('submit(') + 7, code.indexOf(')\nconsole'))
  expect(JSON.parse(object)).toEqual(JSON.parse(request.body))
})

it('expects the outcome in a test, and neither ids nor sentences', () => {
  const code = vitestOf(source, { lead_id: 'l1', status: 'rejected', rejection_reason: 'blacklisted', message: 'm' })
  const expected = code.slice(code.indexOf('toMatchObject(') + 14, code.lastIndexOf(')\n})'))
  expect(JSON.parse(expected)).toEqual({ status: 'rejected', rejection_reason: 'blacklisted' })
})
