import { type ControlOperationName, controlOperations } from '@lead-distribution/simulator'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createControlSubject, takenInputs } from './control-subject.fixture.ts'

const names = (Object.keys(controlOperations) as ControlOperationName[]).filter(name => name !== 'waitForCallback')

/** Any JSON, and JSON that has the fields of an operation with anything in them. */
function bodyOf(name: ControlOperationName): fc.Arbitrary<unknown> {
  const input = 'input' in controlOperations[name] ? controlOperations[name].input : undefined
  const fields = Object.keys((input as { shape?: object } | undefined)?.shape ?? {})
  const taken = takenInputs[name] ?? {}
  const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...Object.values(taken), 0, 'PT1H', null))
  const near = fc.record(Object.fromEntries(fields.map(field => [field, value])), { requiredKeys: [] })
  return fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    near,
    near,
    near.map(some => ({ ...taken, ...some })),
  )
}

const call = fc.constantFrom(...names).chain(name => fc.record({ name: fc.constant(name), body: bodyOf(name) }))
const query = fc.dictionary(
  fc.constantFrom('limit', 'before', 'status', 'email', 'lead_id', 'operation', 'state', '__proto__', 'x'),
  fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('1', '500', '4xx', 'r1', 'rejected')),
  { maxKeys: 3 },
)

inMemory('any JSON and any query', adapter => {
  it('is taken or refused in the shape of 2.13 by every operation, and never with an internal error', async () => {
    const subject = await createControlSubject(adapter)
    const one = async ({ name, body }: { name: ControlOperationName; body: unknown }, parameters: object) => {
      const operation = controlOperations[name]
      const ids = name === 'deleteTenant' ? { tenant: 'nobody' } : {}
      const search = operation.in === 'query' ? `?${new URLSearchParams({ ...parameters })}` : ''
      const { status, json } = await adapter.request(
        operation.methods[0],
        subject.path(name, ids) + search,
        operation.in === 'body' ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {},
      )
      expect([200, 201, 400, 404, 409]).toContain(status)
      if (status >= 400) expect(json).toMatchObject({ error: expect.any(String), message: expect.any(String) })
      if (status === 400) expect(json.details.length).toBeGreaterThan(0)
      if (name === 'createTenant' && status === 201)
        await adapter.request('DELETE', `/_sandbox/v1/tenants/${json.tenant}`)
    }
    await fc.assert(fc.asyncProperty(call, query, one), { numRuns: 400 })
    expect((await adapter.request('GET', subject.path('showTenant'))).status).toBe(200)
  })
})
