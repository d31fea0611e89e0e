import { expect, it } from 'vitest'
import { operations } from './operations.ts'
import { basePath, keyHeader } from './request.ts'

it.each([
  ['submitLead', 'POST', '/lead', 'publisher', '4.1'],
  ['reportStatus', 'POST', '/lead/:lead_id/status', 'advertiser', '4.2'],
  ['reportEvent', 'GET', '/lead/:lead_id/status', 'lead-token', '4.3'],
] as const)('%s is %s %s', (name, method, path, key, spec) => {
  const operation = operations[name]
  expect([operation.methods[0], operation.path, operation.key, operation.spec]).toEqual([method, path, key, spec])
})

it('has the version in the path, and the key in a header', () => {
  expect([basePath, keyHeader]).toEqual(['/api/v1', 'apikey'])
})

it('names an error once, and no method twice on a path', () => {
  const rows = Object.values(operations)
  for (const { errors } of rows) expect(new Set(errors).size).toBe(errors.length)
  const calls = rows.flatMap(({ methods, path }) => methods.map(method => `${method} ${path}`))
  expect(new Set(calls).size).toBe(calls.length)
})
