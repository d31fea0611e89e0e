import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { consent, metadata } from '../adapters/submission.ts'
import { createTenant } from '../adapters/tenant.ts'

inMemory('readings of what a lead must have', adapter => {
  describe('semantic_refusals', () => {
    const unknownProduct = { product_id: '20000000-0000-4000-8000-00000000ffff' }
    const declined = { 'consents.entries': [consent('terms'), consent('privacy_policy', false)] }

    it('rejected_200 rejects both, and creates no lead [open/semantic_refusals] [2.12/consents_missing] [2.12/invalid_product]', async () => {
      const tenant = await createTenant(adapter, { settings: { semantic_refusals: 'rejected_200' } })
      const replies = [await tenant.submit(declined), await tenant.submit(unknownProduct)]
      expect(replies.map(({ status, json }) => [status, json])).toEqual([
        [200, { status: 'rejected', rejection_reason: 'consents_missing' }],
        [200, { status: 'rejected', rejection_reason: 'invalid_product' }],
      ])
    })

    it('leaves the refusal of another publisher a 422, and of an inactive product a rejection [open/error.publisher_mismatch]', async () => {
      const inactive = async (semantic_refusals: string) => {
        const tenant = await createTenant(adapter, { settings: { semantic_refusals } })
        const mismatch = await tenant.submit({ publisher_id: '10000000-0000-4000-8000-00000000ffff' })
        expect([mismatch.status, mismatch.json.error]).toEqual([422, 'publisher_mismatch'])
        return (await tenant.submit({ product_id: tenant.product(false).product_id })).json
      }
      for (const value of ['http_422', 'rejected_200'])
        expect(await inactive(value)).toEqual({ status: 'rejected', rejection_reason: 'invalid_product' })
    })
  })

  describe('profiles', () => {
    it('yield to a single switch', async () => {
      const tenant = await createTenant(adapter, {
        profile: 'formal',
        settings: { gender: 'optional', absent_fields: 'omit' },
      })
      const { status, json } = await tenant.submit({ 'consents.metadata': metadata })
      expect([status, json.rejection_reason]).toEqual([200, undefined])
    })

    it('are changed by a setting of a tenant that is at work', async () => {
      const tenant = await createTenant(adapter)
      await tenant.change({ settings: { profile: 'formal' } })
      expect((await tenant.submit()).status).toBe(400)
      await tenant.change({ settings: { profile: 'prose' } })
      expect((await tenant.submit()).status).toBe(200)
    })
  })
})
