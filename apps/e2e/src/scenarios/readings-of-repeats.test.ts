import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import type { Changes } from '../adapters/submission.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

const abroad = { 'customer.address': { country: 'PT' } }
const ana = 'ana@example.com'
const reasonOf = async (tenant: Tenant, changes: Changes = {}) => {
  const { json } = await tenant.submit(changes, ana)
  return json.rejection_reason ?? json.error ?? json.status
}

inMemory('readings of a customer who comes back', adapter => {
  it('a window of no length is off [open/duplicate_window]', async () => {
    const tenant = await createTenant(adapter, { settings: { duplicate_window: 'PT0S' } })
    expect(await reasonOf(tenant, abroad)).toBe('geographic_restriction')
    expect(await reasonOf(tenant)).toBe('distributed')
  })

  it('a window ends, and being refused within it does not extend it [open/duplicate_window] [2.12/duplicate_submission]', async () => {
    const tenant = await createTenant(adapter, { settings: { duplicate_window: 'PT1S' } })
    expect(await reasonOf(tenant, abroad)).toBe('geographic_restriction')
    expect(await reasonOf(tenant)).toBe('duplicate_submission')
    await expect.poll(() => reasonOf(tenant), { interval: 20, timeout: 5000 }).toBe('distributed')
  })

  it('the blacklist starts it, in any letter case, and is judged before it', async () => {
    const tenant = await createTenant(adapter)
    await tenant.change({ blacklist: [{ email: ana.toUpperCase() }] })
    expect([await reasonOf(tenant), await reasonOf(tenant)]).toEqual(['blacklisted', 'blacklisted'])
    await tenant.change({ blacklist: [] })
    expect(await reasonOf(tenant)).toBe('duplicate_submission')
  })

  it('the rejections of the semantic kind start no window either [open/semantic_refusals]', async () => {
    const tenant = await createTenant(adapter, { settings: { semantic_refusals: 'rejected_200' } })
    expect(await reasonOf(tenant, { 'consents.entries': [] })).toBe('consents_missing')
    expect(await reasonOf(tenant)).toBe('distributed')
  })
})
