import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

inMemory('tenants', adapter => {
  it('do not see each other: one address is a customer of each [4.1/rule-2]', async () => {
    const [one, other] = await Promise.all([createTenant(adapter), createTenant(adapter)])
    const replies = await Promise.all([one, other].map(tenant => tenant.submit(undefined, 'ana@example.com')))
    expect(replies.map(({ json }) => json.status)).toEqual(['distributed', 'distributed'])
    expect(replies[0]?.json.lead_id).not.toBe(replies[1]?.json.lead_id)
  })

  it('do not see each other: a lead of one is not found by the key and the control plane of the other [4.2/lead_id]', async () => {
    const [one, other] = await Promise.all([createTenant(adapter), createTenant(adapter)])
    const lead = await one.distributedLead()
    const { status, json } = await other.report(lead, { status: 'converted' })
    expect([status, json.error]).toEqual([404, 'not_found'])
    expect((await other.control('GET', `/leads/${lead}`)).status).toBe(404)
    expect((await one.lead(lead)).events).toEqual([])
  })
})
