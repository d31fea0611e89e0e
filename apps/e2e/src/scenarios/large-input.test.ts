import { maxIssues, maxListItems } from '@lead-distribution/contract'
import { controlOperations, maxControlBodyBytes } from '@lead-distribution/simulator'
import { describe, expect, it } from 'vitest'
import type { AdapterResponse } from '../adapters/adapter.ts'
import { inMemory } from '../adapters/every-adapter.ts'
import { consent, createTenant, type Tenant } from '../adapters/tenant.ts'

const repeated = <Value>(count: number, value: Value) => new Array<Value>(count).fill(value)
const accepted = [consent('terms'), consent('privacy_policy')]
const consents = (count: number) => [...accepted, ...repeated(count - accepted.length, consent('marketing', false))]

/** Returns the issues of an error response, whose size must not grow with the input. */
function issuesOf(reply: AdapterResponse): { field: string; issue: string }[] {
  expect([reply.status, reply.json.error]).toEqual([400, 'validation_error'])
  expect(reply.text.length).toBeLessThan(50_000)
  expect(reply.json.details.length).toBeLessThanOrEqual(maxIssues)
  return reply.json.details
}

/** Returns the issues that the journal stores for the newest request. */
async function journalled(tenant: Tenant) {
  const { requests } = await tenant.client.requests.list({ limit: 1 })
  return requests[0]?.issues
}

inMemory('a large lead', adapter => {
  it('with 30,000 empty consents has one issue, which the journal keeps', async () => {
    const tenant = await createTenant(adapter)
    const reply = await tenant.submit({ 'consents.entries': repeated(30_000, {}) })
    expect(issuesOf(reply)).toEqual([{ field: 'consents.entries', issue: 'must contain at most 100 items' }])
    expect(await journalled(tenant)).toEqual(reply.json.details)
  })

  it.each([
    ['consents.entries', consents],
    ['customer.financial_instruments', (count: number) => repeated(count, { type: 'bank_account' })],
  ] as const)('may have 100 items in %s, but not 101', async (field, items) => {
    const tenant = await createTenant(adapter)
    expect((await tenant.submit({ [field]: items(maxListItems) })).json.status).toBe('distributed')
    const refused = await tenant.submit({ [field]: items(maxListItems + 1) })
    expect(issuesOf(refused)).toEqual([{ field, issue: 'must contain at most 100 items' }])
  })

  it('with many issues lists 100, of which the last counts the others, and the journal keeps 20', async () => {
    const tenant = await createTenant(adapter)
    const details = issuesOf(await tenant.submit({ 'consents.entries': repeated(100, {}) }))
    expect(details[0]).toEqual({ field: 'consents.entries.0.type', issue: 'is required' })
    expect(details.slice(98)).toEqual([
      { field: 'consents.entries.24.accepted_at', issue: 'is required' },
      { field: 'body', issue: 'has 301 more issues that are not listed' },
    ])
    expect(await journalled(tenant)).toEqual([
      ...details.slice(0, 19),
      { field: 'body', issue: 'has more issues: the journal records only the first 19 of a request' },
    ])
  })

  it.each([
    [25, 100],
    [24, 96],
  ])('with %i empty consents lists all of its %i issues', async (empty, issues) => {
    const tenant = await createTenant(adapter)
    const details = issuesOf(await tenant.submit({ 'consents.entries': repeated(empty, {}) }))
    expect([details.length, details.at(-1)?.issue]).toEqual([issues, 'is required'])
  })
})

const keys = (count: number) => Array.from({ length: count }, (_, index) => [`k${index}`, 1])
const unknown = 'is unknown: check its spelling, or remove it'

inMemory('a large control-plane input', adapter => {
  const patch = async (body: unknown) => (await createTenant(adapter)).control('PATCH', '', { body })

  it('with as many wrong items as its lists may hold lists 100 issues', async () => {
    const criteria = { countries: repeated(250, 1), fraud_ip_ranges: repeated(100, 1) }
    const details = issuesOf(await patch({ products: repeated(100, { product_id: 1, criteria }) }))
    expect(details.at(-1)).toEqual({ field: 'body', issue: `has ${100 * 351 - 99} more issues that are not listed` })
  })

  it('with a long field or value repeats neither', async () => {
    const long = 'x'.repeat(maxControlBodyBytes / 4)
    expect(issuesOf(await patch({ [long]: 1 }))).toEqual([{ field: `${'x'.repeat(199)}…`, issue: unknown }])
    issuesOf(await patch({ settings: { gender: long, [long.slice(1)]: long.slice(1) } }))
    issuesOf(await patch({ callback_url: `http://127.0.0.1:${long}` }))
  })

  it('in a query with many parameters lists 100 issues', async () => {
    const tenant = await createTenant(adapter)
    const query = new URLSearchParams(keys(20_000).map(([name, value]) => [String(name), String(value)])).toString()
    for (const path of [`/leads?${query}`, `?${query}`, `/leads?${query}&${query}`])
      expect(issuesOf(await tenant.control('GET', path))).toHaveLength(maxIssues)
    const lead = await tenant.distributedLead()
    expect(issuesOf(await tenant.pixel(lead, 'approved', `&${query}&${query}`))).toHaveLength(maxIssues)
  })
})

describe('every list in a control-plane input', () => {
  it('has a maximum length that is checked before its items', () => {
    const inputs = Object.entries(controlOperations).flatMap(([name, operation]) =>
      'input' in operation ? [[name, operation.input] as const] : [],
    )
    expect(inputs.flatMap(([name, input]) => unboundedLists(input, name))).toEqual([])
  })
})

interface Shape {
  readonly _zod: { readonly def: Readonly<Record<string, unknown>> }
}

/** Returns the paths of lists below a shape whose first check is not a maximum length. */
function unboundedLists(shape: Shape | object, path: string): string[] {
  const { def } = (shape as Shape)._zod
  const { type, element, checks = [], innerType, shape: fields = {}, options = [] } = def
  const [first] = checks as Shape[]
  const own = type === 'array' && first?._zod.def.check !== 'max_length' ? [path] : []
  const below = [
    ...[element, innerType].filter(child => child !== undefined).map(child => [path, child] as const),
    ...Object.entries(fields as object).map(([name, field]) => [`${path}.${name}`, field] as const),
    ...(options as Shape[]).map(option => [path, option] as const),
  ]
  return [...own, ...below.flatMap(([at, child]) => unboundedLists(child as Shape, at))]
}
