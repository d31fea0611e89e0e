import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { onEveryStorage } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

/** Keys and secrets chosen by a team, no two the same. */
function credentials() {
  const secret = () => randomUUID().replaceAll('-', '')
  return {
    publisher: { api_key: `sandbox_pub_${randomUUID()}_${secret()}`, callback_secret: `whsec_${btoa(secret())}` },
    advertiser: { api_key: `sandbox_adv_${randomUUID()}_${secret()}`, postback_secret: secret() },
  }
}

/** Returns the keys and secrets in a tenant's account, after trying the keys on the service. */
async function inUse(tenant: Tenant, advertiser_id: string) {
  tenant.account = await tenant.client.show()
  const { publisher, advertisers } = tenant.account
  const { api_key, callback_secret } = publisher
  const advertiser = advertisers.find(each => each.advertiser_id === advertiser_id)
  const lead = await tenant.distributedLead({ 'customer.contact.email.address': `${randomUUID()}@example.com` })
  const { status } = await tenant.adapter.request('PATCH', `/api/v1/lead/${lead}/status`, {
    headers: { apikey: advertiser?.api_key ?? '' },
    body: { status: 'approved' },
  })
  expect(status).not.toBe(401)
  return {
    publisher: { api_key, callback_secret },
    advertiser: { api_key: advertiser?.api_key, postback_secret: advertiser?.postback_secret },
  }
}

onEveryStorage('chosen keys and secrets', adapter => {
  const added = { advertiser_id: '60000000-0000-4000-8000-00000000000a', name: 'Of the team' }

  it('of a new tenant work, and survive a reset and a snapshot', async () => {
    const { publisher, advertiser } = credentials()
    const chosen = { publisher, advertiser }
    const tenant = await createTenant(adapter, { publisher, advertisers: [{ ...added, ...advertiser }] })
    expect(await inUse(tenant, added.advertiser_id)).toEqual(chosen)
    await tenant.client.snapshots.save('before')
    await tenant.client.reset()
    expect(await inUse(tenant, added.advertiser_id)).toEqual(chosen)
    const next = credentials()
    await tenant.change({ publisher: next.publisher, advertisers: [{ ...added, ...next.advertiser }] })
    await tenant.client.snapshots.restore('before')
    expect(await inUse(tenant, added.advertiser_id)).toEqual(next)
  })

  it('of a change replace the old ones, which stop working', async () => {
    const tenant = await createTenant(adapter)
    const before = structuredClone(tenant.account)
    const { advertiser_id } = tenant.advertiser()
    const { publisher, advertiser } = credentials()
    await tenant.change({ publisher, advertisers: [{ advertiser_id, ...advertiser }] })
    for (const again of [async () => undefined, () => tenant.client.reset()]) {
      await again()
      expect(await inUse(tenant, advertiser_id)).toEqual({ publisher, advertiser })
      expect(tenant.account.advertisers).toHaveLength(before.advertisers.length)
      const body = { product_id: tenant.product().product_id }
      const { status } = await adapter.request('POST', '/api/v1/lead', {
        headers: { apikey: before.publisher.api_key },
        body,
      })
      expect(status).toBe(401)
    }
  })
})
