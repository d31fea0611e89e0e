import { leadToken } from '@lead-distribution/contract'
import { beforeEach, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { fileText, importFile } from './snapshot-file.fixture.ts'

const product_id = 'aaaaaaaa-bbbb-4ccc-8ddd-000000000001'
const advertiser_id = 'aaaaaaaa-bbbb-4ccc-8ddd-000000000002'
const [productInCapitals, advertiserInCapitals] = [product_id.toUpperCase(), advertiser_id.toUpperCase()]

inMemory('ids in capitals', adapter => {
  let tenant: Tenant

  beforeEach(async () => {
    tenant = await createTenant(adapter)
    await tenant.change({
      products: [{ product_id: productInCapitals, name: 'Mine' }],
      advertisers: [{ advertiser_id: advertiserInCapitals, name: 'Mine', priority: -1 }],
    })
  })

  const ownAdvertiser = () => tenant.account.advertisers.filter(({ name }) => name === 'Mine')

  it('are shown in lower case, and identify the same party', async () => {
    await tenant.change({
      products: [{ product_id, active: false }],
      advertisers: [{ advertiser_id: advertiserInCapitals, priority: 7 }],
    })
    expect(tenant.account.products.filter(({ name }) => name === 'Mine')).toMatchObject([{ product_id, active: false }])
    expect(ownAdvertiser()).toMatchObject([{ advertiser_id, priority: 7 }])
    await tenant.change({ remove: [productInCapitals, advertiserInCapitals] })
    expect(JSON.stringify(tenant.account)).not.toMatch(/aaaaaaaa-bbbb/i)
  })

  it('are accepted when the account is sent back', async () => {
    const shown = structuredClone(tenant.account)
    shown.publisher.publisher_id = shown.publisher.publisher_id.toUpperCase()
    for (const advertiser of shown.advertisers) advertiser.advertiser_id = advertiser.advertiser_id.toUpperCase()
    for (const product of shown.products) product.product_id = product.product_id.toUpperCase()
    const before = structuredClone(tenant.account)
    await tenant.change(shown)
    expect(tenant.account).toEqual(before)
  })

  it.each([
    ['in capitals', productInCapitals],
    ['in lower case', product_id],
  ])("find a product's leads, sent %s", async (_, sent) => {
    const { publisher_id } = tenant.account.publisher
    const { json } = await tenant.submit({ product_id: sent, publisher_id: publisher_id.toUpperCase() })
    expect(json.status).toBe('distributed')
    for (const wanted of [product_id, productInCapitals]) {
      const { leads } = (await tenant.control('GET', `/leads?product_id=${wanted}`)).json
      expect(leads).toMatchObject([{ lead_id: json.lead_id, product_id }])
    }
    expect(await tenant.lead(json.lead_id)).toMatchObject({ product_id, submission: { product_id, publisher_id } })
    expect((await tenant.control('GET', `/leads/${json.lead_id.toUpperCase()}/repro`)).json.product).toMatchObject({
      product_id,
    })
  })

  it('let the advertiser report: triggered, by body, and by a pixel with its token', async () => {
    const lead_id = await tenant.distributedLead()
    const LEAD = lead_id.toUpperCase()
    const trigger = await tenant.control('POST', `/leads/${LEAD}/trigger`, {
      body: { event: 'registration', advertiser_id: advertiserInCapitals },
    })
    expect(trigger.json.replies).toMatchObject([{ status: 200, body: { lead_id, status: 'received' } }])
    const [{ api_key = '', postback_secret = '' } = {}] = ownAdvertiser()
    const body = { status: 'approved', advertiser_id: advertiserInCapitals }
    expect(await tenant.report(LEAD, body, { key: api_key })).toMatchObject({ status: 200, json: { lead_id } })
    const token = await leadToken({ lead_id, advertiser_id, postback_secret }, tenant.account.settings.token_format)
    const pixel = await adapter.request('GET', `/api/v1/lead/${LEAD}/status?token=${token}&event=completed`)
    expect(pixel).toMatchObject({ status: 200, json: { lead_id, status: 'received' } })
    const { events, deliveries } = await tenant.lead(LEAD)
    expect(events.map((event: { advertiser_id: string }) => event.advertiser_id)).toEqual(Array(3).fill(advertiser_id))
    expect(deliveries[0].postback_url).toContain(`/lead/${lead_id}/status?token=${token}`)
    const page = await adapter.request('GET', `/_sandbox/advertiser/${LEAD}/${advertiserInCapitals}`)
    expect(page.status).toBe(200)
  })

  it('are restored from an edited snapshot file', async () => {
    const lead_id = await tenant.distributedLead({ product_id: productInCapitals })
    await tenant.pixel(lead_id, 'approved')
    await tenant.settledCallbacks(lead_id)
    const before = { account: tenant.account, lead: await tenant.lead(lead_id) }
    const file = await fileText(tenant)
    const edited = file.replaceAll(/(?<=_id":")[-0-9a-f]{36}(?=")/g, id => id.toUpperCase())
    expect(edited).not.toBe(file)
    expect((await importFile(tenant, edited)).json).not.toHaveProperty('details')
    await tenant.control('POST', '/reset')
    expect((await tenant.control('POST', '/snapshots/imported/restore')).status).toBe(200)
    expect(await tenant.client.show()).toEqual(before.account)
    expect(await tenant.lead(lead_id.toUpperCase())).toEqual(before.lead)
    expect((await tenant.control('GET', `/leads?product_id=${product_id}`)).json.leads).toHaveLength(1)
  })
})
