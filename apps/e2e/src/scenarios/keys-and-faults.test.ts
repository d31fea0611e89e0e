import { createMemoryStorage } from '@lead-distribution/simulator'
import { expect, it } from 'vitest'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

it('takes a key after thirty years as on its first day [5/expiry]', async () => {
  let now = Date.UTC(2026, 0, 1)
  const adapter = await openMemoryAdapter({ clock: { now: () => now } })
  const tenant = await createTenant(adapter)
  now = Date.UTC(2056, 0, 1)
  expect((await tenant.submit()).json.status).toBe('distributed')
  await adapter.close()
})

it('takes no key that another environment has issued [9/rule-4, 5/environments]', async () => {
  const [here, elsewhere] = [await openMemoryAdapter(), await openMemoryAdapter()]
  const [tenant, stranger] = [await createTenant(here), await createTenant(elsewhere)]
  expect(stranger.publisherKey).not.toBe(tenant.publisherKey)
  const { status } = await tenant.submitBody(tenant.body(), { apikey: stranger.publisherKey })
  expect(status).toBe(401)
  expect((await stranger.submit()).status).toBe(200)
  await Promise.all([here.close(), elsewhere.close()])
})

it('answers a failure of its own with 500, and tells nothing of its cause [4.1/500, 7/500, open/error.internal_error]', async () => {
  const whole = createMemoryStorage()
  let broken = false
  const storage: typeof whole = {
    ...whole,
    of: name => {
      const memory = whole.of(name)
      const transact: typeof memory.transact = work =>
        broken ? Promise.reject(new Error('disk /var/secret is gone')) : memory.transact(work)
      return { ...memory, transact }
    },
  }
  const faults: unknown[] = []
  const adapter = await openMemoryAdapter({ storage, onError: fault => faults.push(fault) })
  const tenant = await createTenant(adapter)
  broken = true
  const { status, json, text } = await tenant.submit()
  expect([status, json]).toEqual([500, { error: 'internal_error', message: expect.any(String) }])
  expect(text).not.toContain('disk')
  expect(faults).toEqual([new Error('disk /var/secret is gone')])
  broken = false
  expect((await tenant.submit()).json.status).toBe('distributed')
  await adapter.close()
})
