import { describe, expect, it } from 'vitest'
import { atEveryDoor } from '../doors/every-door.ts'
import { consent, metadata } from '../doors/submission.ts'
import { createTenant } from '../doors/tenant.ts'

const complete = { 'customer.personal_data.gender': 'female', 'consents.metadata': metadata }

atEveryDoor('readings of what a lead must have', door => {
  describe('gender', () => {
    it.each([
      ['optional', 200],
      ['required', 400],
    ])('%s answers a lead without it with %i [open/gender] [2.3/gender]', async (gender, expected) => {
      const tenant = await createTenant(door, { settings: { gender } })
      const { status, json } = await tenant.submit()
      expect(status).toBe(expected)
      if (expected === 400)
        expect(json.details).toEqual([{ field: 'customer.personal_data.gender', issue: 'is required' }])
      expect((await tenant.submit({ 'customer.personal_data.gender': 'other' })).status).toBe(200)
      expect((await tenant.submit({ 'customer.personal_data.gender': 'none' })).status).toBe(400)
    })
  })

  describe('consent_metadata', () => {
    it.each([
      ['optional', 200],
      ['required', 400],
    ])(
      '%s answers a lead without it with %i [open/consent_metadata] [2.9/metadata]',
      async (consent_metadata, expected) => {
        const tenant = await createTenant(door, { settings: { consent_metadata } })
        const { status, json } = await tenant.submit()
        expect(status).toBe(expected)
        if (expected === 400) expect(json.details).toEqual([{ field: 'consents.metadata', issue: 'is required' }])
        expect((await tenant.submit({ 'consents.metadata': metadata })).status).toBe(200)
        expect((await tenant.submit({ 'consents.metadata': { ip_address: '203.0.113.7' } })).status).toBe(400)
      },
    )
  })

  describe('semantic_refusals', () => {
    const unknownProduct = { product_id: '20000000-0000-4000-8000-00000000ffff' }
    const declined = { 'consents.entries': [consent('terms'), consent('privacy_policy', false)] }

    it('http_422 refuses consents and an unknown product with 422 [open/semantic_refusals] [open/error.consents_missing] [open/error.invalid_product]', async () => {
      const tenant = await createTenant(door, { settings: { semantic_refusals: 'http_422' } })
      const replies = [await tenant.submit(declined), await tenant.submit(unknownProduct)]
      expect(replies.map(({ status, json }) => [status, json.error])).toEqual([
        [422, 'consents_missing'],
        [422, 'invalid_product'],
      ])
      for (const { json } of replies) expect(Object.keys(json)).toEqual(['error', 'message'])
    })

    it('rejected_200 rejects both, and creates no lead [open/semantic_refusals] [2.12/consents_missing] [2.12/invalid_product]', async () => {
      const tenant = await createTenant(door, { settings: { semantic_refusals: 'rejected_200' } })
      const replies = [await tenant.submit(declined), await tenant.submit(unknownProduct)]
      expect(replies.map(({ status, json }) => [status, json])).toEqual([
        [200, { status: 'rejected', rejection_reason: 'consents_missing' }],
        [200, { status: 'rejected', rejection_reason: 'invalid_product' }],
      ])
    })

    it('leaves the refusal of another publisher a 422, and of an inactive product a rejection [open/error.publisher_mismatch]', async () => {
      const inactive = async (semantic_refusals: string) => {
        const tenant = await createTenant(door, { settings: { semantic_refusals } })
        const mismatch = await tenant.submit({ publisher_id: '10000000-0000-4000-8000-00000000ffff' })
        expect([mismatch.status, mismatch.json.error]).toEqual([422, 'publisher_mismatch'])
        return (await tenant.submit({ product_id: tenant.product(false).product_id })).json
      }
      for (const value of ['http_422', 'rejected_200'])
        expect(await inactive(value)).toEqual({ status: 'rejected', rejection_reason: 'invalid_product' })
    })
  })

  describe('absent_fields', () => {
    const outcomes = {
      distributed: {},
      new: { 'product_data.loan_amount': 60_000 },
      rejected: { 'customer.address': { country: 'PT' } },
    }

    it.each([
      ['omit', { distributed: 3, new: 2, rejected: 3 }],
      ['null', { distributed: 4, new: 4, rejected: 4 }],
    ] as const)(
      '%s leaves out what does not apply, or sends null [open/absent_fields] [2.12/redirect_url] [2.12/rejection_reason]',
      async (absent_fields, sizes) => {
        const tenant = await createTenant(door, { settings: { absent_fields } })
        for (const [status, changes] of Object.entries(outcomes)) {
          const { json } = await tenant.submit(changes)
          expect([json.status, Object.keys(json).length]).toEqual([status, sizes[status as keyof typeof sizes]])
          expect(json.redirect_url ?? null, status).toEqual(status === 'distributed' ? expect.any(String) : null)
          expect(json.rejection_reason ?? null, status).toBe(status === 'rejected' ? 'geographic_restriction' : null)
        }
      },
    )

    it('null sends lead_id too where no lead was created [open/absent_fields] [2.12/lead_id]', async () => {
      const tenant = await createTenant(door, { settings: { absent_fields: 'null' } })
      await tenant.submit({}, 'ana@example.com')
      const { json } = await tenant.submit({}, 'ana@example.com')
      expect(json).toEqual({
        lead_id: null,
        status: 'rejected',
        redirect_url: null,
        rejection_reason: 'customer_already_exists',
      })
    })
  })

  describe('profiles', () => {
    it('prose takes the smallest lead and leaves out what does not apply', async () => {
      const { json } = await (await createTenant(door, { profile: 'prose' })).submit()
      expect(Object.keys(json).sort()).toEqual(['lead_id', 'redirect_url', 'status'])
    })

    it('formal demands gender and metadata, sends null, and knows no PATCH', async () => {
      const tenant = await createTenant(door, { profile: 'formal' })
      expect((await tenant.submit()).json.details).toHaveLength(2)
      const { json } = await tenant.submit(complete)
      expect(json).toMatchObject({ status: 'distributed', rejection_reason: null })
      expect((await tenant.report(json.lead_id, { status: 'approved' }, { method: 'PATCH' })).status).toBe(405)
      expect((await tenant.report(json.lead_id, { status: 'loan_issued' })).status).toBe(200)
      expect((await tenant.inbox(1)).map(({ event }) => event)).toEqual(['approved'])
    })

    it('yield to a single switch', async () => {
      const tenant = await createTenant(door, {
        profile: 'formal',
        settings: { gender: 'optional', absent_fields: 'omit' },
      })
      const { status, json } = await tenant.submit({ 'consents.metadata': metadata })
      expect([status, json.rejection_reason]).toEqual([200, undefined])
    })

    it('are changed by a setting of a tenant that is at work', async () => {
      const tenant = await createTenant(door)
      await tenant.change({ settings: { profile: 'formal' } })
      expect((await tenant.submit()).status).toBe(400)
      await tenant.change({ settings: { profile: 'prose' } })
      expect((await tenant.submit()).status).toBe(200)
    })
  })
})
