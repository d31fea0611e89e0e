import { maxIssues, maxListItems } from '@lead-distribution/contract'
import { controlOperations, maxControlBodyBytes, maxPageBytes } from '@lead-distribution/simulator'
import { describe, expect, it } from 'vitest'
import type { Adapter, AdapterResponse } from '../adapters/adapter.ts'
import { inMemory } from '../adapters/every-adapter.ts'
import { consent, createTenant, type Tenant, tenantsPath } from '../adapters/tenant.ts'

const json = { 'content-type': 'application/json' }
const repeated = <Value>(count: number, value: Value) => new Array<Value>(count).fill(value)
const accepted = [consent('terms'), consent('privacy_policy')]
const consents = (count: number) => [...accepted, ...repeated(count - accepted.length, consent('marketing', false))]

/** The issues of a refusal, whose size does not grow with what was sent. */
function issuesOf(reply: AdapterResponse): { field: string; issue: string }[] {
  expect([reply.status, reply.json.error]).toEqual([400, 'validation_error'])
  expect(reply.text.length).toBeLessThan(50_000)
  expect(reply.json.details.length).toBeLessThanOrEqual(maxIssues)
  return reply.json.details
}

/** The issues that the journal keeps of the newest call. */
async function journalled(tenant: Tenant) {
  const { requests } = await tenant.client.requests.list({ limit: 1 })
  return requests[0]?.issues
}

inMemory('a lead that is large', adapter => {
  it('with 30,000 empty consents has one issue, which the journal keeps', async () => {
    const tenant = await createTenant(adapter)
    const reply = await tenant.submit({ 'consents.entries': repeated(30_000, {}) })
    expect(issuesOf(reply)).toEqual([{ field: 'consents.entries', issue: 'must hold at most 100 items' }])
    expect(await journalled(tenant)).toEqual(reply.json.details)
  })

  it.each([
    ['consents.entries', consents],
    ['customer.financial_instruments', (count: number) => repeated(count, { type: 'bank_account' })],
  ] as const)('may have 100 items in %s, and not 101', async (field, items) => {
    const tenant = await createTenant(adapter)
    expect((await tenant.submit({ [field]: items(maxListItems) })).json.status).toBe('distributed')
    const refused = await tenant.submit({ [field]: items(maxListItems + 1) })
    expect(issuesOf(refused)).toEqual([{ field, issue: 'must hold at most 100 items' }])
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
      { field: 'body', issue: 'has more issues: the journal keeps the first 19 of a call' },
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

  it('is explained as it is answered', async () => {
    const tenant = await createTenant(adapter)
    const body = tenant.body({ 'consents.entries': repeated(100, {}) })
    const { would, trace } = await tenant.client.leads.explain(body)
    expect((would.body.details as object[]).length).toBe(maxIssues)
    expect(JSON.stringify(trace).length).toBeLessThan(50_000)
  })

  it('that is deep, wide or long is answered', async () => {
    const tenant = await createTenant(adapter)
    const whole = JSON.stringify(tenant.body())
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect((await tenant.submitBody(`${whole.slice(0, -1)},"x":${deep}}`, json)).json.status).toBe('distributed')
    issuesOf(await tenant.submitBody(`{"customer":${deep}}`, json))
    issuesOf(await tenant.submit({ 'customer.personal_data': Object.fromEntries(keys(20_000)) }))
    const long = await tenant.submit({ product_id: 'x'.repeat(200_000) })
    expect(issuesOf(long)).toHaveLength(1)
  })
})

const keys = (count: number) => Array.from({ length: count }, (_, index) => [`k${index}`, 1])
const unknown = 'is unknown: check its spelling, or remove it'

inMemory('an input of the control plane that is large', adapter => {
  const patch = async (body: unknown) => (await createTenant(adapter)).control('PATCH', '', { body })

  it('with 400,000 products has one issue', async () => {
    expect(issuesOf(await patch({ products: repeated(400_000, 1) }))).toEqual([
      { field: 'products', issue: 'must hold at most 100 items' },
    ])
  })

  it('with as many wrong items as its lists may hold lists 100 issues', async () => {
    const criteria = { countries: repeated(250, 1), fraud_ip_ranges: repeated(100, 1) }
    const details = issuesOf(await patch({ products: repeated(100, { product_id: 1, criteria }) }))
    expect(details.at(-1)).toEqual({ field: 'body', issue: `has ${100 * 351 - 99} more issues that are not listed` })
  })

  it('with 70,000 unknown fields lists 100 issues', async () => {
    const details = issuesOf(await patch(Object.fromEntries(keys(70_000))))
    expect(details[98]).toEqual({ field: 'k98', issue: unknown })
    expect(details[99]).toEqual({ field: 'body', issue: 'has 69901 more issues that are not listed' })
  })

  it('with a long field or value repeats neither', async () => {
    const long = 'x'.repeat(maxControlBodyBytes / 4)
    expect(issuesOf(await patch({ [long]: 1 }))).toEqual([{ field: `${'x'.repeat(199)}…`, issue: unknown }])
    issuesOf(await patch({ settings: { gender: long, [long.slice(1)]: long.slice(1) } }))
    issuesOf(await patch({ callback_url: `http://127.0.0.1:${long}` }))
  })

  it('with deep nesting is refused', async () => {
    const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`
    const tenant = await createTenant(adapter)
    for (const field of ['settings', 'products', 'callback_url', 'x'])
      issuesOf(await tenant.control('PATCH', '', { body: `{"${field}":${deep}}`, headers: json }))
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

/** Every page of a list, by its newest entries first; each is within the bound, though the limit would take all. */
async function pagesOf(adapter: Adapter, path: string, list: string): Promise<unknown[][]> {
  const pages: unknown[][] = []
  for (let before = ''; pages.length < 100; ) {
    const { status, text, json } = await adapter.request(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=500${before}`,
    )
    expect([status, json.details]).toEqual([200, undefined])
    expect(text.length).toBeLessThan(maxPageBytes + 300_000)
    pages.push(json[list])
    if (json.next === undefined) return pages
    before = `&before=${json.next}`
  }
  throw new Error('The pages have no end.')
}

describe('a list of the control plane', () => {
  inMemory('whose entries are large', adapter => {
    it('of leads ends a page early, and its pages show each once', async () => {
      const tenant = await createTenant(adapter)
      const ids: string[] = []
      for (let lead = 0; lead < 25; lead++)
        ids.unshift(await tenant.distributedLead({ 'customer.external_id': 'x'.repeat(250_000) }))
      const whole = `${tenantsPath}/${tenant.account.tenant}/leads?include=submission`
      const pages = await pagesOf(adapter, whole, 'leads')
      expect(pages.length).toBeGreaterThan(1)
      expect(pages.flat()).toMatchObject(ids.map(lead_id => ({ lead_id })))
    })

    it('of tenants ends a page early, and its pages show each once', async () => {
      const blacklist = repeated(1_000, { email: 'x'.repeat(900) })
      const names: string[] = []
      for (let tenant = 0; tenant < 6; tenant++) {
        const made = await createTenant(adapter)
        await made.change({ blacklist })
        names.push(made.account.tenant)
      }
      const pages = await pagesOf(adapter, tenantsPath, 'tenants')
      expect(pages.length).toBeGreaterThan(1)
      const listed = pages.flat().map(account => (account as { tenant: string }).tenant)
      expect(listed.filter(name => names.includes(name)).sort()).toEqual(names.toSorted())
      expect(new Set(listed).size).toBe(listed.length)
    })
  })
})

describe('every list that the control plane takes', () => {
  it('has a longest length, which is checked before its items', () => {
    const inputs = Object.entries(controlOperations).flatMap(([name, operation]) =>
      'input' in operation ? [[name, operation.input] as const] : [],
    )
    expect(inputs.flatMap(([name, input]) => unboundedLists(input, name))).toEqual([])
  })
})

interface Shape {
  readonly _zod: { readonly def: Readonly<Record<string, unknown>> }
}

/** The paths of the lists below a shape that have no longest length as their first check. */
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
