import type { LeadSubmission } from '@lead-distribution/contract'
import { createMemoryStorage, type SandboxStorage } from '@lead-distribution/simulator'
import { describe, expect, it } from 'vitest'
import { onEveryAdapter } from '../adapters/every-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant, Tenant } from '../adapters/tenant.ts'

/** What a tenant answers below a path. */
const read = async (tenant: Tenant, path: string) => (await tenant.control('GET', path)).json

/** A storage in memory that takes its time where a tenant is put back, so that calls come in between. */
function slowStorage(): SandboxStorage {
  const storage = createMemoryStorage()
  const late = async <Outcome>(done: Promise<Outcome>) => {
    const outcome = await done
    await new Promise(resolve => setTimeout(resolve, 3))
    return outcome
  }
  return {
    ...storage,
    of: tenant => ({ transact: work => late(storage.of(tenant).transact(work)) }),
    newestIds: tenant => late(storage.newestIds(tenant)),
    restoreSnapshot: (tenant, name) => late(storage.restoreSnapshot(tenant, name)),
    clearTenant: record => late(storage.clearTenant(record)),
    saveSnapshot: (tenant, snapshot) => late(storage.saveSnapshot(tenant, snapshot)),
  }
}

const putBacks = { 'a restore': '/snapshots/then/restore', 'a reset': '/reset' }

const save = (tenant: Tenant) => tenant.control('POST', '/snapshots', { body: { name: 'then' } })

onEveryAdapter('calls under way', adapter => {
  describe.each(Object.entries(putBacks))('during %s', (_name, path) => {
    it('are answered as before it or as behind it, and nothing half of them stays', async () => {
      const tenant = await createTenant(adapter)
      await save(tenant)
      const calls = []
      for (let round = 0; round < 6; round++) {
        for (let who = 0; who < 10; who++) calls.push(tenant.submit({}, `c${who}@example.com`))
        calls.push(tenant.control('POST', path))
        await new Promise(setImmediate)
      }
      for (let who = 0; who < 10; who++) calls.push(tenant.submit({}, `c${who}@example.com`))
      const replies = await Promise.all(calls)
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
      for (const { json } of replies.filter(({ json }) => json.lead_id ?? json.rejection_reason))
        expect(json.rejection_reason ?? json.status).toMatch(/^(distributed|customer_already_exists)$/)
      const { leads } = await read(tenant, '/leads?limit=500')
      const emails = leads.map((lead: { submission: LeadSubmission }) => lead.submission.customer.contact.email.address)
      expect(new Set(emails).size).toBe(leads.length)
      const { requests } = await read(tenant, '/requests?limit=500')
      const noted = requests.flatMap(({ outcome, lead_id }: Record<string, string>) =>
        outcome === 'distributed' ? [lead_id] : [],
      )
      expect(noted).toEqual(leads.map(({ lead_id }: { lead_id: string }) => lead_id))
      const numbers = requests.map(({ request_id }: { request_id: string }) => Number(request_id.slice(1)))
      expect(numbers).toEqual(numbers.map((_: number, index: number) => numbers.length - index))
    })

    it('of the pixel, of bodies and of a deletion end without a fault of ours', async () => {
      for (let round = 0; round < 5; round++) {
        const tenant = await createTenant(adapter)
        const lead = await tenant.distributedLead()
        const postback = await tenant.postback(lead)
        await save(tenant)
        const replies = await Promise.all([
          tenant.control('POST', path),
          ...['registration', 'approved', 'completed'].map(event =>
            adapter.request('GET', `${postback}&event=${event}`),
          ),
          tenant.report(lead, { status: 'converted' }),
          tenant.submit(),
          tenant.control('POST', path),
          tenant.control('DELETE'),
          tenant.control('POST', path),
          adapter.request('GET', `${postback}&event=approved`),
          tenant.submit(),
          tenant.control('GET', '/requests'),
          tenant.control('POST', '/faults', { body: { match: { operation: 'submitLead' }, effect: { status: 503 } } }),
          tenant.control('PATCH', '', { body: { settings: { gender: 'required' } } }),
        ])
        expect(replies.map(({ status }) => status).filter(status => status >= 500)).toEqual([])
        expect((await tenant.control('GET')).status).toBe(404)
        expect((await tenant.submit()).status).toBe(401)
      }
    })
  })

  it('of a tenant with faults that is deleted are refused, and no fault of ours', async () => {
    for (let round = 0; round < 10; round++) {
      const tenant = await createTenant(adapter)
      const fault = { match: { operation: 'submitLead', scenario: 'new' }, effect: { status: 503 } }
      await tenant.control('POST', '/faults', { body: fault })
      const calls = Array.from({ length: 20 }, () => tenant.submit({}, `new+${Math.random()}@sandbox.test`))
      for (let turn = 0; turn < round; turn++) await new Promise(setImmediate)
      await tenant.control('DELETE')
      const statuses = (await Promise.all(calls)).map(({ status }) => status)
      expect(statuses.filter(status => status !== 401 && status !== 503)).toEqual([])
    }
  })

  it('of a tenant that is deleted do not reach the next one of its name', async () => {
    const name = `again-${Math.random().toString(36).slice(2, 10)}`
    for (let round = 0; round < 5; round++) {
      const tenant = await createTenant(adapter, { name, seed: 1 })
      const late = Array.from({ length: 20 }, () => tenant.submit())
      await new Promise(setImmediate)
      await tenant.control('DELETE')
      const next = await createTenant(adapter, { name, seed: 2 })
      await Promise.all(late)
      expect((await tenant.submit()).status).toBe(401)
      expect(await read(next, '/leads')).toEqual({ leads: [] })
      await next.submit()
      await new Promise(resolve => setTimeout(resolve, 120))
      const { requests } = await read(next, '/requests')
      expect(requests.map(({ request_id }: { request_id: string }) => request_id)).toEqual(['r1'])
      await next.control('DELETE')
    }
  })
})

describe.each(Object.entries(putBacks))('faults, inbox and clock that are set during %s', (_name, path) => {
  it.each(Array.from({ length: 14 }, (_, ms) => ms))(
    'are undone or there to stay, %i ms behind its begin',
    async ms => {
      const storage = slowStorage()
      const adapter = await openMemoryAdapter({ storage })
      const tenant = await createTenant(adapter, { frozen_at: '2026-03-01T10:00:00Z' })
      await save(tenant)
      const fault = { match: { operation: 'callback' }, effect: { drop: true } }
      const putBack = tenant.control('POST', path)
      await new Promise(resolve => setTimeout(resolve, ms))
      const replies = await Promise.all([
        tenant.control('POST', '/faults', { body: fault }),
        tenant.control('PATCH', '/inbox', { body: { status: 500 } }),
        tenant.control('POST', '/clock/advance', { body: { by: 'PT1H' } }),
        putBack,
      ])
      expect(replies.map(({ status }) => status)).toEqual([201, 200, 200, 200])
      const state = async (of: Tenant) => [
        await read(of, '/faults'),
        await read(of, '/inbox'),
        await read(of, '/clock'),
      ]
      const shown = await state(tenant)
      await adapter.close()
      const again = await openMemoryAdapter({ storage })
      expect(await state(new Tenant(again, tenant.account))).toEqual(shown)
      await again.close()
    },
  )
})

it('a call that a fault delays holds up neither a snapshot nor a reset', async () => {
  const timer = {
    after(ms: number, run: () => void) {
      const timer = ms < 600_000 ? setTimeout(run, ms) : undefined
      return () => clearTimeout(timer)
    },
  }
  const adapter = await openMemoryAdapter({ timer })
  const tenant = await createTenant(adapter)
  const fault = { match: { operation: 'submitLead' }, effect: { latency_ms: 600_000 } }
  await tenant.control('POST', '/faults', { body: fault })
  void tenant.submit()
  const acted = async () => (await read(tenant, '/faults')).faults[0].acted
  await expect.poll(acted, { interval: 5 }).toBe(1)
  expect((await save(tenant)).status).toBe(201)
  expect((await tenant.control('POST', '/reset')).status).toBe(200)
  await adapter.close()
})
