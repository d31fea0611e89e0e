import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

/** Keys that this sandbox did not issue, or no longer accepts, by kind. */
const foreignKeys: Readonly<Record<string, (tenant: Tenant, deleted: Tenant) => string>> = {
  'of production': () => 'live_pub_8f14e45fceea_167a5a36dedd4bea2543c9a1b2d3e4f5',
  'of production, with parts of one from here': ({ publisherKey }) => publisherKey.replace('sandbox_', 'live_'),
  'of another service': () => 'sk-live-51H8xQ2eZvKYlo2C9aBcDeFgHiJkLmNoP',
  'in a part of a header': ({ publisherKey }) => `Bearer ${publisherKey}`,
  'of a deleted tenant': (_, { publisherKey }) => publisherKey,
  'without its last letter': ({ publisherKey }) => publisherKey.slice(0, -1),
  'reduced to its public part': ({ publisherKey }) => publisherKey.slice(0, publisherKey.lastIndexOf('_')),
  'with one letter changed': ({ publisherKey }) => publisherKey.slice(0, -1) + (publisherKey.endsWith('0') ? '1' : '0'),
  'with more behind it': ({ publisherKey }) => `${publisherKey}0`,
  'of 4 KiB': () => `sandbox_pub_${'a'.repeat(4096)}`,
  'with what would be markup': () => '<script>alert(1)</script>',
}

inMemory('a key from elsewhere', adapter => {
  describe.each(Object.entries(foreignKeys))('%s', (_title, keyOf) => {
    it('submits no lead: the response is a 401 that does not repeat it', async () => {
      const [tenant, deleted] = [await createTenant(adapter), await createTenant(adapter)]
      await deleted.control('DELETE')
      const key = keyOf(tenant, deleted)
      const body = tenant.body({}, 'ana@example.com')
      const { status, text, headers } = await tenant.submitBody(body, { apikey: key })
      expect(status).toBe(401)
      // Nor any long part of it.
      for (let at = 0; at + 12 <= Math.min(key.length, 60); at++)
        expect(JSON.stringify([text, headers])).not.toContain(key.slice(at, at + 12))
      expect((await tenant.submitBody(body)).json.status).toBe('distributed')
    })

    it('reports no event on a lead', async () => {
      const [tenant, deleted] = [await createTenant(adapter), await createTenant(adapter)]
      await deleted.control('DELETE')
      const lead = await tenant.distributedLead()
      const key = keyOf(tenant, deleted).replace('sandbox_pub', 'sandbox_adv')
      const { status, text } = await tenant.report(lead, { status: 'converted' }, { key })
      expect([status, text.includes(key)]).toEqual([401, false])
      expect((await tenant.lead(lead)).events).toEqual([])
    })
  })
})
