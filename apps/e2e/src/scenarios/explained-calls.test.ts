import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

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
