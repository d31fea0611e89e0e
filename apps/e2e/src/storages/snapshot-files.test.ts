import { describe, expect, it } from 'vitest'
import { onEveryStorage } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

const creation = { name: 'shop', seed: 'of the team', frozen_at: '2026-03-01T10:00:00Z' }

/** All that the control plane shows of a tenant with a frozen clock; entries of the inbox are numbered anew. */
async function whole(tenant: Tenant) {
  const paths = ['', '/leads', '/callbacks', '/inbox', '/clock', '/faults', '/requests', '/coverage']
  const shown = await Promise.all(paths.map(async path => (await tenant.control('GET', path)).json))
  shown.push(await tenant.wholeLeads())
  return JSON.parse(JSON.stringify(shown, (key, value) => (key === 'entry_id' ? undefined : value)))
}

/** Gives a tenant some of everything. */
async function use(tenant: Tenant): Promise<string> {
  await tenant.change({ settings: { callback_retries: ['PT1H'], lifecycle: [{ event: 'approved', after: 'P1D' }] } })
  await tenant.control('PATCH', '/inbox', { body: { status: 500, times: 2 } })
  const lead = await tenant.distributedLead()
  await tenant.pixel(lead, 'registration')
  await expect.poll(async () => (await tenant.lead(lead)).callbacks[0]?.attempts.length).toBe(1)
  await tenant.report(lead, { status: 'converted', metadata: { amount: 900 } })
  await tenant.submit({ 'customer.profile': { occupation: 'other', monthly_income: 0 } }, 'poor@example.com')
  await tenant.submit({}, 'http_500.distributed+x@sandbox.test')
  await tenant.submitBody({})
  await tenant.control('POST', '/faults', {
    body: { match: { operation: 'submitLead' }, effect: { status: 503 }, after: 9 },
  })
  return lead
}

onEveryStorage('a snapshot as a file', adapter => {
  it('puts all that a tenant had into a tenant of its name and seed, and goes on from there', async () => {
    const tenant = await createTenant(adapter, creation)
    const lead = await use(tenant)
    const before = await whole(tenant)
    await tenant.client.snapshots.save('then')
    const file = JSON.parse(JSON.stringify(await tenant.client.snapshots.export('then')))
    await tenant.client.delete()

    const again = await createTenant(adapter, creation)
    await again.submit({}, 'late@example.com')
    const imported = await again.client.snapshots.import('from-file', file)
    expect(imported).toEqual({ name: 'from-file', saved_at: file.saved_at })
    await again.client.snapshots.restore('from-file')
    expect(await whole(again)).toEqual(before)
    expect(await again.client.snapshots.export('from-file')).toEqual(file)
    // What was taken is taken, what was reported is known, and what is due falls due.
    expect((await again.submit({}, 'customer-1@example.com')).json.rejection_reason).toBe('customer_already_exists')
    expect((await again.submit({}, 'poor@example.com')).json.rejection_reason).toBe('duplicate_submission')
    expect((await again.pixel(lead, 'registration')).json.status).toBe('ignored')
    expect((await again.submit({}, 'http_500.distributed+x@sandbox.test')).json.status).toBe('distributed')
    await again.client.clock.advance({ by: 'P2D' })
    expect((await again.lead(lead)).events.map(({ event }: { event: string }) => event)).toContain('approved')
    await again.client.delete()
  })

  describe('is refused', () => {
    it('by a tenant of another name or seed, with what to do', async () => {
      const tenant = await createTenant(adapter, { seed: 'one' })
      await tenant.client.snapshots.save('then')
      const file = await tenant.client.snapshots.export('then')
      const other = await createTenant(adapter, { seed: 'one' })
      await expect(other.client.snapshots.import('then', file)).rejects.toMatchObject({
        status: 400,
        details: [
          {
            field: 'tenant.tenant',
            issue: expect.stringContaining('create a tenant with the name and the seed in it'),
          },
        ],
      })
      await tenant.client.delete()
      const reseeded = await createTenant(adapter, { name: tenant.account.tenant, seed: 'two' })
      await expect(reseeded.client.snapshots.import('then', file)).rejects.toMatchObject({
        details: [
          { field: 'tenant.seed', issue: expect.stringContaining('create a tenant with the name and the seed in it') },
        ],
      })
      expect(await reseeded.client.snapshots.list()).toEqual({ snapshots: [] })
    })
  })
})
