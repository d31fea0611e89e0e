import { maxIssues, proseInterpretation } from '@lead-distribution/contract'
import { leadSubmission } from '@lead-distribution/contract/shapes'
import { type ControlOperationName, controlOperations } from '@lead-distribution/simulator'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Adapter, AdapterResponse } from '../adapters/adapter.ts'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'
import { createControlSubject, declaredBody, takenInputs } from './control-subject.fixture.ts'

const json = { 'content-type': 'application/json' }

/** Error responses have the shape of 2.13, and a size that does not depend on the input. */
function expectBounded({ status, json, text }: AdapterResponse, statuses: readonly number[]): void {
  expect(statuses).toContain(status)
  if (status < 400) return
  expect(json).toMatchObject({ error: expect.any(String), message: expect.any(String) })
  expect(text.length).toBeLessThan(50_000)
  if (json.error !== 'validation_error') return
  expect(json.details.length).toBeGreaterThan(0)
  expect(json.details.length).toBeLessThanOrEqual(maxIssues)
}

interface Shape {
  readonly _zod: { readonly def: Readonly<Record<string, unknown>> }
}

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(0, -1, 'PT1H', null, '', 'x'.repeat(5_000), [], {}, [[]]),
)

/** List lengths: any, but more often one at a bound. */
const lengths = fc.oneof(
  fc.constantFrom(0, 1, 2, 50, 51, 99, 100, 101, 250, 251, 1_000, 1_001),
  fc.integer({ min: 0, max: 5_000 }),
)

/** The approximate size of a list, characters of JSON. Nested lists would otherwise fill the memory. */
const maxListLength = 400_000

/** JSON in the form of a shape: its fields, lists of any length, and anything at all in any place. */
function near(shape: object): fc.Arbitrary<unknown> {
  const { def } = (shape as Shape)._zod
  if (def.innerType) return near(def.innerType as object)
  if (def.type === 'array') {
    const items = fc.array(near(def.element as object), { minLength: 1, maxLength: 3 })
    const list = fc.tuple(lengths, items).map(([wanted, some]) => {
      const length = Math.min(wanted, Math.ceil(maxListLength / JSON.stringify(some).length))
      return Array.from({ length }, (_, index) => some[index % some.length])
    })
    return fc.oneof({ arbitrary: list, weight: 4 }, anything)
  }
  if (def.type !== 'object') return anything
  const fields = Object.entries(def.shape as Record<string, object>).map(([name, field]) => [name, near(field)])
  return fc.oneof({ arbitrary: fc.record(Object.fromEntries(fields), { requiredKeys: [] }), weight: 4 }, anything)
}

const numRuns = 200

/** Excludes operations that wait for something to happen. */
const names = (Object.keys(controlOperations) as ControlOperationName[]).filter(
  name => name !== 'waitForCallback' && !('streams' in controlOperations[name]),
)

/** Any JSON, and JSON in the form of an operation's input. */
function bodyOf(name: ControlOperationName): fc.Arbitrary<unknown> {
  const operation = controlOperations[name]
  if (!('input' in operation)) return fc.jsonValue({ maxDepth: 4 })
  const some = near(operation.input)
  const changed = some.map(value => ({ ...takenInputs[name], ...Object(value) }))
  return fc.oneof(fc.jsonValue({ maxDepth: 4 }), some, some, changed)
}

const controlCall = fc.constantFrom(...names).chain(name => fc.record({ name: fc.constant(name), body: bodyOf(name) }))
const query = fc.dictionary(
  fc.constantFrom('limit', 'before', 'status', 'email', 'lead_id', 'operation', 'state', '__proto__', 'x'),
  fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('1', '500', '4xx', 'r1', 'rejected')),
  { maxKeys: 3 },
)

/** Calls every control-plane operation with any input, and expects no internal error and no long response. */
async function fuzzControlPlane(adapter: Adapter): Promise<void> {
  const subject = await createControlSubject(adapter)
  const one = async ({ name, body }: { name: ControlOperationName; body: unknown }, parameters: object) => {
    const operation = controlOperations[name]
    const ids = name === 'deleteTenant' ? { tenant: 'nobody' } : {}
    const search = operation.in === 'query' ? `?${new URLSearchParams({ ...parameters })}` : ''
    const reply = await adapter.request(
      operation.methods[0],
      subject.path(name, ids) + search,
      operation.in === 'body' ? { body: JSON.stringify(body), headers: declaredBody(name).headers } : {},
    )
    expectBounded(reply, [200, 201, 400, 404, 409, 413])
    if (name === 'createTenant' && reply.status === 201)
      await adapter.request('DELETE', `/_sandbox/v1/tenants/${reply.json.tenant}`)
  }
  await fc.assert(fc.asyncProperty(controlCall, query, one), { numRuns, endOnFailure: true })
  expect((await adapter.request('GET', subject.path('showTenant'))).status).toBe(200)
}

/** Submits any lead, and expects no internal error, no long response and no large journal entry. */
async function fuzzService(adapter: Adapter): Promise<void> {
  const tenant = await createTenant(adapter)
  const some = near(leadSubmission(proseInterpretation)).map(value => Object(value) as Record<string, unknown>)
  const changed = fc.constantFrom('customer', 'product_data', 'consents', 'tracking', undefined)
  const one = async (sent: Record<string, unknown>, part: string | undefined) => {
    const body = part === undefined ? sent : { ...tenant.body(), [part]: sent[part] }
    expectBounded(await tenant.submitBody(JSON.stringify(body), json), [200, 400, 413, 422])
  }
  await fc.assert(fc.asyncProperty(some, changed, one), { numRuns, endOnFailure: true })
  const { requests } = await tenant.client.requests.list({ limit: 500 })
  for (const request of requests) expect(JSON.stringify(request).length).toBeLessThan(10_000)
  expect((await tenant.submit()).json.status).toBe('distributed')
}

inMemory('any JSON and any query, with lists of any length', adapter => {
  it('is accepted, or refused in the shape of 2.13, by every control-plane operation, and never causes an internal error', () =>
    fuzzControlPlane(adapter))

  it('is accepted, or refused in the shape of 2.13, as a lead, and never causes an internal error', () =>
    fuzzService(adapter))
})
