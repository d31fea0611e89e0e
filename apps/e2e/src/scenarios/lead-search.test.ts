import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

inMemory('the list of leads', adapter => {
  it('is searched by reason, product, a part of the address and time, together and page by page', async () => {
    const tenant = await createTenant(adapter, { frozen_at: '2026-03-01T10:00:00Z' })
    const poor = { 'customer.profile': { occupation: 'other', monthly_income: 0 } }
    await tenant.submit(poor, 'Ana@example.com')
    await tenant.submit({}, 'ben@example.com')
    await tenant.control('POST', '/clock/advance', { body: { by: 'PT1H' } })
    await tenant.submit(poor, 'anastasia@example.org')
    const { product_id } = tenant.product()
    const found = async (filter: Parameters<typeof tenant.client.leads.list>[0]) => {
      const { leads, next } = await tenant.client.leads.list(filter)
      expect(next).toBe(filter?.limit === 1 ? leads[0]?.lead_id : undefined)
      return leads.map(({ email }) => email)
    }
    const reason = 'income_insufficient'
    expect(await found({ reason })).toEqual(['anastasia@example.org', 'ana@example.com'])
    expect(await found({ reason, limit: 1 })).toEqual(['anastasia@example.org'])
    expect(await found({ reason: 'blacklisted' })).toEqual([])
    expect(await found({ email_part: 'ANA', product_id: product_id.toUpperCase() })).toHaveLength(2)
    expect(await found({ product_id: tenant.product(false).product_id })).toEqual([])
    expect(await found({ from: '2026-03-01T10:00:00Z', to: '2026-03-01T12:00:00+01:00' })).toHaveLength(2)
    expect(await found({ from: '2026-03-01T10:00:01Z', email: 'anastasia@EXAMPLE.org' })).toHaveLength(1)
    expect(await found({ status: 'distributed', email_part: 'example' })).toEqual(['ben@example.com'])
  })

  it('refuses two ways of naming an address, and a time that does not exist', async () => {
    const tenant = await createTenant(adapter)
    for (const query of ['email=a&email_part=b', 'from=2026-02-30T10:00:00Z', 'reason=dislike', 'product_id=1'])
      expect([query, (await tenant.control('GET', `/leads?${query}`)).status]).toEqual([query, 400])
  })
})

inMemory('a call that created no lead', adapter => {
  it('is explained afterwards: every check, and nothing of what was sent', async () => {
    const tenant = await createTenant(adapter)
    await tenant.submit({}, 'ana@example.com')
    await tenant.submit({}, 'ana@example.com')
    const [call] = (await tenant.client.requests.list()).requests
    expect(call).toMatchObject({ reason: 'customer_already_exists', check: 'customer' })
    const shown = await tenant.client.requests.show(call?.request_id ?? '')
    expect(shown.trace).toContainEqual({
      check: 'customer',
      verdict: 'rejected',
      hint: expect.stringContaining('another e-mail address'),
    })
    expect(shown.trace?.some(step => 'input' in step)).toBe(false)
    expect((await tenant.control('GET', '/requests/r99')).status).toBe(404)
    expect((await tenant.control('GET', '/requests/99')).status).toBe(404)
  })

  it('has its misspelt fields pointed out, as has a lead whose optional field is misspelt', async () => {
    const tenant = await createTenant(adapter)
    await tenant.submit({ 'customer.personal_data.birth_date': '1990-01-01' })
    await tenant.submit({ 'customer.personal_data.first_nam': 'Ana', 'customer.personal_data.first_name': undefined })
    await tenant.submit()
    const [whole, refused, taken] = (await tenant.client.requests.list()).requests
    expect(taken).toMatchObject({
      outcome: 'distributed',
      near_misses: [{ field: 'customer.personal_data.birth_date', message: expect.stringContaining('birthday') }],
    })
    expect(refused).toMatchObject({
      outcome: 'validation_error',
      trace: expect.arrayContaining([{ check: 'shape', verdict: 'rejected' }]),
      near_misses: [{ field: 'customer.personal_data.first_nam', message: expect.stringContaining('first_name') }],
    })
    expect([whole?.near_misses, whole?.trace]).toEqual([undefined, undefined])
  })
})
