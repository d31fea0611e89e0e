import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

inMemory('authentication', adapter => {
  it('knows no key of a tenant that was deleted [5/missing_or_invalid_key]', async () => {
    const tenant = await createTenant(adapter)
    await tenant.control('DELETE')
    expect((await tenant.submit()).status).toBe(401)
  })
})
