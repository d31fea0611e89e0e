import { expect, it } from 'vitest'
import { atEveryDoor } from '../doors/every-door.ts'
import { createTenant } from '../doors/tenant.ts'

atEveryDoor('authentication', door => {
  it('knows no key of a tenant that was deleted [5/missing_or_invalid_key]', async () => {
    const tenant = await createTenant(door)
    await tenant.control('DELETE')
    expect((await tenant.submit()).status).toBe(401)
  })
})
