import { type ControlOperationName, controlOperations, maxControlBodyBytes } from '@lead-distribution/simulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter, AdapterResponse, RequestOptions } from '../adapters/adapter.ts'
import { inMemory } from '../adapters/every-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'
import { createControlSubject, declaredBody, takenInputs } from './control-subject.fixture.ts'

const names = Object.keys(controlOperations) as ControlOperationName[]
const methodOf = (name: ControlOperationName) => controlOperations[name].methods[0]
const placeOf = (name: ControlOperationName): string => controlOperations[name].in
const withBody = names.filter(name => placeOf(name) === 'body')
const onTenant = names.filter(name => controlOperations[name].path.includes(':tenant'))
/**
 * Any submission can be explained, and its unknown fields are part of the explanation. The file of a
 * snapshot has a test of its own.
 */
const withoutShape: readonly ControlOperationName[] = ['explainLead', 'reproduceSubmission', 'importSnapshot']
const withShape = withBody.filter(name => !withoutShape.includes(name))
const maxBytesOf = (name: ControlOperationName) =>
  (controlOperations[name] as { maxBodyBytes?: number }).maxBodyBytes ?? maxControlBodyBytes

const json = { 'content-type': 'application/json' }

/** The top-level fields of an operation's input, and a check of whether a field accepts a value. */
function fieldsOf(name: ControlOperationName) {
  const { input } = controlOperations[name] as unknown as { input: { shape: Record<string, Field> } }
  return Object.entries(input.shape)
}
interface Field {
  safeParse(value: unknown): { success: boolean }
}

/** An error response in the shape of 2.13. A 400 for fields names one of these. */
function expectRefused(reply: AdapterResponse, status: number, ...fields: string[]): void {
  expect([reply.status, reply.text]).toEqual([status, expect.any(String)])
  expect(reply.json).toEqual({
    error: expect.stringMatching(/^[a-z_]+$/),
    message: expect.stringMatching(/^[A-Z].*\.$/s),
    ...(fields.length > 0 && { details: expect.any(Array) }),
  })
  if (fields.length === 0) return
  const issues = reply.json.details.map(({ field, issue }: Record<string, string>) => `${field}: ${issue}`).join('\n')
  expect(fields.some(field => issues.includes(field))).toBe(true)
}

inMemory('bad input', adapter => {
  /** Calls an operation in many ways, and checks that nothing changed. */
  async function unchangedBy(
    run: (
      call: (name: ControlOperationName, options?: RequestOptions, query?: string) => Promise<AdapterResponse>,
    ) => Promise<void>,
  ) {
    const subject = await createControlSubject(adapter)
    const before = await subject.state()
    await run((name, options, query = '') => adapter.request(methodOf(name), subject.path(name) + query, options))
    expect(await subject.state()).toEqual(before)
  }

  describe.each(withBody)('of %s', name => {
    it('that is malformed JSON, of another media type, or too large is refused', () =>
      unchangedBy(async call => {
        const { headers, field } = declaredBody(name)
        expectRefused(await call(name, { headers }), 400, field)
        expectRefused(await call(name, { body: '{}', headers: { 'content-type': 'text/plain' } }), 415)
        expectRefused(await call(name, { body: '{}', headers: { ...headers, 'content-encoding': 'gzip' } }), 415)
        for (const body of ['{', ' ', "{'a':1}", '{"a":NaN}']) {
          const reply = await call(name, { body, headers })
          expect([reply.status, reply.json.error]).toEqual([400, 'malformed_json'])
          expect(reply.json.details).toEqual([
            { field: 'body', issue: expect.stringMatching(/ at line 1, column \d$/) },
          ])
        }
        expectRefused(await call(name, { body: '', headers }), 400, field)
        const body = `"${'x'.repeat(maxBytesOf(name) - 1)}"`
        expectRefused(await call(name, { body, headers }), 413)
      }))
  })

  describe.each(withShape)('of %s', name => {
    it('with a field that is not known names it', () =>
      unchangedBy(async call => {
        const taken = JSON.stringify(takenInputs[name]).slice(0, -1)
        for (const field of ['colour', '__proto__', 'constructor', 'toString', '', 'x'.repeat(10_000)]) {
          const more = `${taken.length > 1 ? ',' : ''}${JSON.stringify(field)}: {"status": 1}}`
          const named = field.length > 200 ? `${field.slice(0, 199)}…` : field
          expectRefused(await call(name, { body: taken + more, headers: json }), 400, `${named}: is unknown`)
        }
      }))

    it('with another kind of value in a field names it', () =>
      unchangedBy(call =>
        eachRow(fieldsOf(name), async (field, shape) => {
          const values = [
            null,
            true,
            false,
            1.5,
            -1,
            1e15,
            '',
            'nonsense',
            [],
            [null],
            {},
            { a: 1 },
            'x'.repeat(10_000),
          ]
          for (const value of values.filter(candidate => !shape.safeParse(candidate).success)) {
            const body = { ...takenInputs[name], [field]: value }
            expectRefused(await call(name, { body }), 400, `${field}`)
          }
        }),
      ))
  })

  it('in an unknown or repeated query parameter names it', () =>
    unchangedBy(call =>
      eachRow(names, async name => {
        const taken = placeOf(name) === 'query' ? new URLSearchParams(takenInputs[name] as never) : ''
        const body = placeOf(name) === 'body' ? { body: takenInputs[name] } : {}
        for (const field of ['colour', '__proto__', 'constructor', 'limits'])
          expectRefused(await call(name, body, `?${taken}&${field}=1`), 400, field)
        expectRefused(await call(name, body, `?${taken}&twice=1&twice=2`), 400, 'twice')
      }),
    ))

  /** Calls an operation at a path, with valid input. */
  const callAt = (name: ControlOperationName, path: string) =>
    placeOf(name) === 'body'
      ? adapter.request(methodOf(name), path, { body: takenInputs[name] })
      : adapter.request(
          methodOf(name),
          placeOf(name) ? `${path}?${new URLSearchParams(takenInputs[name] as never)}` : path,
        )

  it("that names an unknown tenant, or another tenant's ids, is a 404", () =>
    eachRow(onTenant, async name => {
      const [mine, theirs] = [await createControlSubject(adapter), await createControlSubject(adapter)]
      const before = await theirs.state()
      for (const tenant of ['nobody', '__proto__', 'constructor', 'DEMO', '%00', 'a%2Fb', 'x'.repeat(10_000)])
        expectRefused(await callAt(name, mine.path(name, { tenant })), 404)
      const own = { tenant: mine.tenant.account.tenant }
      if (/:(lead_id|callback_id)/.test(controlOperations[name].path)) {
        const reply = await callAt(name, theirs.path(name, own))
        expectRefused(reply, 404)
        expect(reply.text).not.toContain(theirs.tenant.account.tenant)
      }
      expect(await theirs.state()).toEqual(before)
    }))

  it('is a 404 in any operation if two dots replace the tenant', async () => {
    const { path } = await createControlSubject(adapter)
    for (const name of onTenant) expectRefused(await callAt(name, path(name, { tenant: '%2e%2e' })), 404)
  })

  it("with another tenant's fault, or a malformed id, is a 404", async () => {
    const [mine, theirs] = [await createTenant(adapter), await createControlSubject(adapter)]
    for (const id of ['f1', 'f0', '__proto__', 'F1', '%00', 'x'.repeat(10_000)])
      expectRefused(await mine.control('DELETE', `/faults/${id}`), 404)
    expect((await theirs.tenant.control('GET', '/faults')).json.faults).toHaveLength(1)
  })
})

/** Only in memory, because each takes a thousand requests. */
describe('the limits of the control plane', () => {
  let adapter: Adapter
  beforeAll(async () => {
    adapter = await openMemoryAdapter()
  })
  afterAll(() => adapter.close())

  it('let a recovery be as large as necessary', async () => {
    const tenant = await createTenant(adapter, {
      frozen_at: '2026-06-15T12:00:00Z',
      settings: { callback_retries: [] },
    })
    await tenant.control('PATCH', '/inbox', { body: { status: 500, times: 501 } })
    for (let lead = 0; lead < 501; lead++) await tenant.pixel(await tenant.distributedLead(), 'approved')
    await tenant.control('POST', '/clock/advance', { body: { by: 'PT0S' } })
    const { callbacks } = (await tenant.control('POST', '/callbacks/recover', { body: { since: 'PT0S' } })).json
    const ids = callbacks.map(({ callback_id }: { callback_id: string }) => callback_id)
    expect([new Set(ids).size, ids]).toEqual([501, ids.toSorted()])
    expect((await tenant.control('GET', '/callbacks?state=failed')).json.callbacks).toEqual([])
  })
})
