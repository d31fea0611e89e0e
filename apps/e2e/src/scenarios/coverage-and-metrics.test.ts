import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { controlOf, createTenant, Tenant } from '../adapters/tenant.ts'

interface Item {
  kind: string
  name: string
  how: string
  count: number
}

/** Returns a tenant's coverage: how often each item was seen, by kind and name. */
async function seenBy(tenant: Tenant): Promise<Record<string, number>> {
  const { status, json } = await tenant.control('GET', '/coverage')
  expect(status).toBe(200)
  const seen = json.items.filter(({ count }: Item) => count > 0)
  expect([json.seen, json.total]).toEqual([seen.length, json.items.length])
  return Object.fromEntries(seen.map(({ kind, name, count }: Item) => [`${kind}/${name}`, count]))
}

const unknownLead = '50000000-0000-4000-8000-00000000ffff'

inMemory('coverage', adapter => {
  it('counts outcomes and reasons, forced or not', async () => {
    const tenant = await createTenant(adapter)
    await tenant.submit()
    await tenant.submit({ 'product_data.loan_amount': 75_000 })
    await tenant.submit({}, 'blacklisted+x@sandbox.test')
    await tenant.submit({ 'customer.profile': { occupation: 'other', monthly_income: 0 } })
    expect(await seenBy(tenant)).toEqual({
      'outcome/distributed': 1,
      'outcome/new': 1,
      'outcome/rejected': 2,
      'reason/blacklisted': 1,
      'reason/income_insufficient': 1,
    })
  })

  it('counts errors by code, including injected ones', async () => {
    const tenant = await createTenant(adapter)
    await tenant.submitBody({})
    await tenant.submitBody('{', { 'content-type': 'application/json' })
    await tenant.submitBody('{}', { 'content-type': 'text/plain' })
    await tenant.submitBody(tenant.body(), { apikey: tenant.advertiserKey() })
    await tenant.submit({ 'consents.entries': [] })
    await tenant.report(unknownLead, { status: 'converted' })
    const fault = { match: { operation: 'submitLead' }, effect: { status: 500 }, times: 1 }
    await tenant.control('POST', '/faults', { body: fault })
    await tenant.submit()
    expect(await seenBy(tenant)).toEqual({
      'error/validation_error': 1,
      'error/malformed_json': 1,
      'error/unsupported_media_type': 1,
      'error/unauthorized': 1,
      'error/consents_missing': 1,
      'error/not_found': 1,
      'error/internal_error': 1,
    })
  })

  it('counts events by canonical name, and callback outcomes', async () => {
    const tenant = await createTenant(adapter, { settings: { callback_retries: ['PT0S'], status_vocabulary: 'any' } })
    await tenant.control('PATCH', '/inbox', { body: { status: 500, times: 3 } })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'loan_issued')
    await tenant.settledCallbacks(lead)
    await tenant.report(lead, { status: 'converted' })
    await tenant.settledCallbacks(lead)
    await tenant.report(lead, { status: 'a custom status' })
    await tenant.settledCallbacks(lead)
    expect(await seenBy(tenant)).toMatchObject({
      'event/approved': 1,
      'event/converted': 1,
      'callback/failed': 1,
      'callback/delivered': 2,
      'callback/retried': 2,
    })
  })
})

it('coverage survives a restart, also of callbacks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-coverage-'))
  const data = join(folder, 'sandbox.db')
  let adapter = await openExpressAdapter({ data })
  const tenant = await createTenant(adapter, {
    frozen_at: '2026-03-01T10:00:00Z',
    settings: { callback_retries: ['PT1H'] },
  })
  await tenant.control('PATCH', '/inbox', { body: { status: 500, times: 1 } })
  const lead = await tenant.distributedLead()
  await tenant.pixel(lead, 'approved')
  await expect.poll(async () => (await tenant.lead(lead)).callbacks[0].attempts.length).toBe(1)
  await tenant.control('GET', '/requests')
  await tenant.control('POST', '/clock/advance', { body: { by: 'PT1H' } })
  const before = await seenBy(tenant)
  expect(before).toMatchObject({ 'callback/delivered': 1, 'callback/retried': 1 })
  await adapter.close()
  adapter = await openExpressAdapter({ data })
  expect(await seenBy(new Tenant(adapter, tenant.account))).toEqual(before)
  await adapter.close()
  rmSync(folder, { recursive: true, force: true })
})

const path = '/_sandbox/metrics'

inMemory('the metrics', adapter => {
  it('contain no tenant, key or personal data', async () => {
    const tenant = await createTenant(adapter)
    await tenant.submit({}, 'ana.metrics@example.com')
    await tenant.submitBody({}, { apikey: 'sandbox_pub_unknown' })
    await adapter.request('GET', '/api/v1/ana.metrics@example.com')
    const { text } = await adapter.request('GET', path)
    for (const secret of [tenant.account.tenant, tenant.publisherKey, 'sandbox_pub_unknown', 'ana.metrics'])
      expect(text).not.toContain(secret)
  })
})

inMemory('coverage of all tenants', adapter => {
  it('sums up the coverage of tenants, or of those with a prefix', async () => {
    const names = ['run-7-a', 'run-7-b', 'run-8-a']
    const [first, second, other] = await Promise.all(names.map(name => createTenant(adapter, { name })))
    await first?.submit()
    await second?.submit()
    await second?.submit({ 'product_data.loan_amount': 75_000 })
    await other?.submit({}, 'blacklisted+x@sandbox.test')
    const seen = async (prefix?: string) => {
      const { tenants, items, seen } = await controlOf(adapter).coverage({ prefix })
      const counted = items.filter(({ count }) => count > 0)
      expect(seen).toBe(counted.length)
      return [tenants, ...counted.map(({ name, count }) => `${name} ${count}`)]
    }
    expect(await seen('run-7')).toEqual([2, 'new 1', 'distributed 2'])
    expect(await seen('run-')).toEqual([3, 'new 1', 'distributed 2', 'rejected 1', 'blacklisted 1'])
    expect(await seen('nobody')).toEqual([0])
    expect((await seen())[0]).toBeGreaterThanOrEqual(3)
    for (const tenant of [first, second, other]) await tenant?.client.delete()
  })
})
