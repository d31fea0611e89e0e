import { expect } from 'vitest'
import type { Adapter, AdapterResponse } from '../adapters/adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

/** A tenant on a frozen clock with some of everything in a snapshot. */
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

/** The record kinds, with the lists that they have in an edited file. */
const kinds = {
  customers: 'customer',
  leads: 'lead',
  events: 'event',
  callbacks: 'callback',
  reports: 'report',
  chains: 'chain',
  inbox: 'inbox',
  requests: 'request',
}

const lines = { 'content-type': 'application/x-ndjson' }

/** A tenant as a file, from its snapshot with this name or from a new one: the head, and a list per kind. */
export async function fileOf(tenant: Tenant, name?: string): Promise<AdapterResponse['json']> {
  const [head, ...records] = (await fileText(tenant, name))
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  const lists = Object.entries(kinds).map(([list, kind]) => [list, records.flatMap(record => record[kind] ?? [])])
  return { ...head, ...Object.fromEntries(lists) }
}

/** The text of such a file, as exported. */
export async function fileText(tenant: Tenant, name?: string): Promise<string> {
  if (name === undefined) await tenant.client.snapshots.save('now')
  return tenant.client.snapshots.export(name ?? 'now')
}

/** Writes an edited file. */
function textOf(file: object): string {
  const isList = (name: string): name is keyof typeof kinds => Object.hasOwn(kinds, name)
  const head = Object.fromEntries(Object.entries(file).filter(([name]) => !isList(name)))
  const records = Object.entries(file).flatMap(([name, list]) =>
    isList(name) ? [list].flat().map(record => JSON.stringify({ [kinds[name]]: record })) : [],
  )
  return [JSON.stringify(head), ...records, JSON.stringify({ records: records.length }), ''].join('\n')
}

/** Imports a file, or any text or bytes. */
export function importFile(tenant: Tenant, file: object | string, name = 'imported'): Promise<AdapterResponse> {
  const body = typeof file === 'string' || file instanceof Uint8Array ? file : textOf(file)
  return tenant.control('POST', `/snapshots/${name}/file`, { headers: lines, body })
}
