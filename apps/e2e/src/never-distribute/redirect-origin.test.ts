import { startServer } from '@lead-distribution/sandbox'
import { describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { onEveryAdapter } from '../adapters/every-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

/** An added advertiser, named after a real place. */
const stranger = {
  advertiser_id: '50000000-0000-4000-8000-0000000000aa',
  name: 'https://advertiser.example/apply',
  priority: -1,
  postback_secret: 'http://lender.example/?x=',
}

const changes = {
  'as it was made': {},
  'with every advertiser asked': { settings: { distribution: 'all_accepting' } },
  'of the formal profile': { settings: { profile: 'formal', gender: 'optional', consent_metadata: 'optional' } },
  'with its own advertiser': { advertisers: [stranger] },
  'with its own advertiser, and every advertiser asked': {
    settings: { distribution: 'all_accepting' },
    advertisers: [stranger],
  },
}

/** Every address of a lead, in the response and in the control plane's view. */
async function addressesOf(tenant: Tenant): Promise<string[]> {
  const { status, json } = await tenant.submit()
  expect([status, json.status]).toEqual([200, 'distributed'])
  const { redirect_url, deliveries } = await tenant.lead(json.lead_id)
  const kept = deliveries.flatMap((delivery: Record<string, string>) => [delivery.redirect_url, delivery.postback_url])
  return [json.redirect_url, redirect_url ?? json.redirect_url, ...kept].filter(address => address != null)
}

const originsOf = (addresses: string[]) => [...new Set(addresses.map(address => new URL(address).origin))]

/** Every address on a page. */
async function linksOf(adapter: Adapter, page: string): Promise<string[]> {
  const { status, text } = await adapter.request('GET', page)
  expect(status).toBe(200)
  return [...text.matchAll(/\b(?:href|src|action|srcset|data|poster|content)="([^"]*[:/][^"]*)"/g)].map(
    ([, address = '']) => address,
  )
}

onEveryAdapter("the sandbox's own origin", adapter => {
  it('is the origin of all addresses of a lead, for any account', () =>
    eachRow(Object.entries(changes), async (_title, change) => {
      const tenant = await createTenant(adapter)
      await tenant.change(change)
      const addresses = await addressesOf(tenant)
      expect(addresses.length).toBeGreaterThanOrEqual(3)
      expect(originsOf(addresses)).toEqual([adapter.url])
    }))

  it('is the origin of the addresses on the page that a customer is redirected to', async () => {
    const tenant = await createTenant(adapter)
    await tenant.change(changes['with its own advertiser'])
    const [redirect = ''] = await addressesOf(tenant)
    const links = await linksOf(adapter, new URL(redirect).pathname)
    expect(links.filter(address => new URL(address, adapter.url).origin !== adapter.url)).toEqual([])
  })

  it("cannot be left through an advertiser's name", () =>
    eachRow(['redirect_url', 'postback_url', 'url', 'endpoint', 'callback_url'], async field => {
      const tenant = await createTenant(adapter)
      const body = { advertisers: [{ ...stranger, [field]: 'https://advertiser.example/apply' }] }
      expect((await tenant.control('PATCH', '', { body })).status).toBe(400)
    }))
})

describe('a public URL', () => {
  const origin = 'http://qa.example:4010'

  it('replaces the address that a server listens at', async () => {
    const server = await startServer({
      port: 0,
      logLevel: 'silent',
      publicUrl: origin,
      adminToken: 't0ken-of-the-team',
    })
    const { base_url, publisher } = server.account()
    await server.close()
    expect(originsOf([server.url, base_url, publisher.callback_url])).toEqual([origin])
  })

  it('is the origin of all addresses of a lead, for any account', () =>
    eachRow(Object.entries(changes), async (_title, change) => {
      const adapter = await openMemoryAdapter({ origin })
      const tenant = await createTenant(adapter)
      await tenant.change(change)
      expect(originsOf(await addressesOf(tenant))).toEqual([origin])
      await adapter.close()
    }))
})
