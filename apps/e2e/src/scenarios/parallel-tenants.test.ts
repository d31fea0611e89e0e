import { expect, it } from 'vitest'
import { onEveryAdapter } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

const email = 'ana@example.com'

onEveryAdapter('two hundred tenants at once', adapter => {
  it('with the same e-mail address do not see each other', async () => {
    const story = async () => {
      const tenant = await createTenant(adapter)
      const [first, second] = [await tenant.submit({}, email), await tenant.submit({}, email)]
      expect([first.json.status, second.json.rejection_reason]).toEqual(['distributed', 'customer_already_exists'])
      const { lead_id } = first.json
      expect((await tenant.pixel(lead_id, 'approved')).json.status).toBe('received')
      const [leads, requests, callbacks] = await Promise.all(
        ['leads', 'requests', 'callbacks'].map(async list => (await tenant.control('GET', `/${list}`)).json[list]),
      )
      expect(leads.map((lead: { lead_id: string }) => lead.lead_id)).toEqual([lead_id])
      expect(requests.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
        'received',
        'rejected',
        'distributed',
      ])
      expect(callbacks.map((callback: { lead_id: string }) => callback.lead_id)).toEqual([lead_id])
      expect((await tenant.control('DELETE')).status).toBe(200)
      return lead_id
    }
    const leads = await Promise.all(Array.from({ length: 200 }, story))
    expect(new Set(leads).size).toBe(200)
  }, 30_000)
})
