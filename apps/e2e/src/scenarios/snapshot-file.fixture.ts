import { expect } from 'vitest'
import type { Adapter, AdapterResponse } from '../adapters/adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

/** A tenant on a frozen clock that has some of everything a snapshot holds. */
export async function usedTenant(adapter: Adapter, creation: object = {}): Promise<Tenant> {
  const tenant = await createTenant(adapter, { frozen_at: '2026-03-01T10:00:00Z', ...creation })
  await tenant.change({ settings: { callback_retries: ['PT1H'], lifecycle: [{ event: 'approved', after: 'P1D' }] } })
  await tenant.control('PATCH', '/inbox', { body: { status: 500, times: 2 } })
  const lead = await tenant.distributedLead()
  await tenant.pixel(lead, 'registration')
  await expect.poll(async () => (await tenant.lead(lead)).callbacks[0]?.attempts.length).toBe(1)
  await tenant.submit({ 'customer.profile': { occupation: 'other', monthly_income: 0 } }, 'poor@example.com')
  await tenant.submit({}, 'http_500.distributed+x@sandbox.test')
  await tenant.submit()
  await tenant.submitBody({})
  await tenant.control('POST', '/faults', {
    body: { match: { operation: 'submitLead' }, effect: { status: 503 }, after: 99 },
  })
  return tenant
}

/** A tenant as a file, by a snapshot of this name that it has, or else is saved now. */
export async function fileOf(tenant: Tenant, name?: string): Promise<AdapterResponse['json']> {
  if (name === undefined) await tenant.client.snapshots.save('now')
  return JSON.parse(JSON.stringify(await tenant.client.snapshots.export(name ?? 'now')))
}

/** Imports a file, or any text. */
export function importFile(tenant: Tenant, file: unknown, name = 'imported'): Promise<AdapterResponse> {
  const headers = { 'content-type': 'application/json' }
  const body = typeof file === 'string' ? file : JSON.stringify(file)
  return tenant.control('POST', `/snapshots/${name}/file`, { headers, body })
}
