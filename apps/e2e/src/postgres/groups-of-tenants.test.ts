import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant, Tenant } from '../adapters/tenant.ts'
import { moveTenants, newDatabase, placeOf, routeTo, storedRows } from './groups-of-tenants.fixture.ts'

let databases: [string, string]
let sandboxes: [Adapter, Adapter]
beforeAll(async () => {
  databases = [await newDatabase(), await newDatabase()]
  const open = (data: string) => openExpressAdapter({ data })
  sandboxes = [await open(databases[0]), await open(databases[1])]
})
afterAll(() => Promise.all(sandboxes.map(sandbox => sandbox.close())))

const openTenants = (router: Adapter, names: readonly string[]) =>
  Promise.all(names.map(name => createTenant(router, { name })))

/** Names of tenants whose place is this one of two. */
const namesAt = (place: number, prefix: string) =>
  Array.from({ length: 20 }, (_, n) => `${prefix}-${n}`)
    .filter(name => placeOf(name, 2) === place)
    .slice(0, 3)

/** Calls by path, by key and by the lead alone, whose results name the tenant's own lead. */
async function callEachWay(tenant: Tenant): Promise<string> {
  const lead = await tenant.distributedLead()
  expect((await tenant.report(lead, { status: 'registration' })).status).toBe(200)
  expect((await tenant.pixel(lead, 'approved')).status).toBe(200)
  expect((await tenant.settledCallbacks(lead)).length).toBe(2)
  return lead
}

describe('two databases, each with its group of tenants, behind one router', () => {
  it('have every call find its tenant, also by a router that has only started', async () => {
    const names = [...namesAt(0, 'find'), ...namesAt(1, 'find')]
    const tenants = await openTenants(routeTo(sandboxes), names)
    for (const tenant of tenants) {
      const lead = await callEachWay(tenant)
      const throughAnother = () => new Tenant(routeTo(sandboxes), tenant.account)
      expect(await throughAnother().lead(lead)).toMatchObject({ lead_id: lead })
      expect((await throughAnother().report(lead, { status: 'completed' })).status).toBe(200)
      const { json } = await throughAnother().submit({}, 'another@example.com')
      expect(json).toMatchObject({ status: 'distributed' })
    }
    const held = await Promise.all(databases.map(url => storedRows(url, names)))
    expect(held.map(({ leads }) => leads)).toEqual([6, 6])
  })

  it('let a group move by its rows while all go on, and lose nothing', async () => {
    const router = routeTo(sandboxes)
    const [moving, staying] = [namesAt(0, 'move'), namesAt(0, 'stay')]
    const movers = await openTenants(router, moving)
    const tenants = [...movers, ...(await openTenants(router, staying))]
    const before = await Promise.all(movers.map(callEachWay))
    await Promise.all(movers.map(({ client }) => client.snapshots.save('before')))

    let going = true
    const submitting = tenants.map(async tenant => {
      const ids: string[] = []
      while (going) {
        const { status, json } = await tenant.submit()
        // A tenant that moves may ask for a repeat, as at a reset, and stored nothing then.
        if (status === 503 && movers.includes(tenant)) continue
        expect([status, json]).toEqual([200, expect.objectContaining({ status: 'distributed' })])
        ids.push(json.lead_id)
      }
      return ids
    })
    await moveTenants(databases[0], databases[1], moving)
    const moved = await storedRows(databases[0], moving)
    going = false
    const submitted = await Promise.all(submitting)

    expect(Object.values(moved).filter(count => count > 0)).toEqual([])
    for (const [index, tenant] of movers.entries()) {
      const { leads } = await tenant.client.leads.list({ limit: 500 })
      expect(leads.map(({ lead_id }) => lead_id).toReversed()).toEqual([before[index], ...(submitted[index] ?? [])])
      expect((await tenant.pixel(before[index] ?? '', 'completed')).status).toBe(200)
      await callEachWay(tenant)
      await tenant.client.snapshots.restore('before')
      expect((await tenant.client.leads.list()).leads).toHaveLength(1)
    }
  })
})

it('tenants spread evenly by a hash of their names, and of those that move none moves but to the place that is new', () => {
  const names = Array.from({ length: 2_000 }, (_, n) => `team-${n}`)
  for (const places of [2, 4, 8]) {
    const held = names.map(name => placeOf(name, places))
    const counts = Array.from({ length: places }, (_, place) => held.filter(each => each === place).length)
    const share = names.length / places
    expect(Math.max(...counts.map(count => Math.abs(count - share) / share))).toBeLessThan(0.15)
    const added = names.map(name => placeOf(name, places + 1))
    const moved = added.filter((place, index) => place !== held[index])
    expect(new Set(moved)).toEqual(new Set([places]))
    expect(Math.abs((moved.length * (places + 1)) / names.length - 1)).toBeLessThan(0.15)
  }
})
