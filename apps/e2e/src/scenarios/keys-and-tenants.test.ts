import { createMemoryStorage } from '@lead-distribution/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant, tenantsPath } from '../adapters/tenant.ts'

inMemory('authentication', adapter => {
  it('knows no key of a tenant that was deleted [5/missing_or_invalid_key]', async () => {
    const tenant = await createTenant(adapter)
    await tenant.control('DELETE')
    expect((await tenant.submit()).status).toBe(401)
  })
})

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

it('answers its own failure with 500, and says nothing of its cause [4.1/500, 7/500, open/error.internal_error]', async () => {
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
  const errors: unknown[] = []
  const adapter = await openMemoryAdapter({ storage, onError: error => errors.push(error) })
  const tenant = await createTenant(adapter)
  broken = true
  const { status, json, text } = await tenant.submit()
  expect([status, json]).toEqual([500, { error: 'internal_error', message: expect.any(String) }])
  expect(text).not.toContain('disk')
  expect(errors).toEqual([new Error('disk /var/secret is gone')])
  broken = false
  expect((await tenant.submit()).json.status).toBe('distributed')
  await adapter.close()
})

/** A server on this machine only, with a token or a value that means none. */
async function openWith(adminToken: string) {
  const adapter = await openExpressAdapter({ adminToken })
  onTestFinished(() => adapter.close())
  return (authorization?: string) =>
    adapter.request('GET', `${tenantsPath}/demo`, authorization === undefined ? {} : { headers: { authorization } })
}

it('is asked for wherever it was given, on this machine too: a proxy may be in front of it', async () => {
  const show = await openWith('s3cret')
  expect((await show()).status).toBe(401)
  expect((await show('Bearer wrong')).status).toBe(401)
  const { status, json } = await show('Bearer s3cret')
  expect(status).toBe(200)
  expect(json.publisher.api_key).not.toBe('sandbox_pub_demo_0000000000000000')
})

it('is no token where it is empty', async () => {
  const show = await openWith('')
  expect((await show()).json.publisher.api_key).toBe('sandbox_pub_demo_0000000000000000')
})
