import { expect, it } from 'vitest'
import { onEveryAdapter } from './every-adapter.ts'
import { createTenant } from './tenant.ts'

onEveryAdapter('races', adapter => {
  it('record one of fifty identical concurrent pixels, and notify the publisher once [4.3/rule-3]', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    const postback = await tenant.postback(lead)
    const fire = (event: string) => adapter.request('GET', `${postback}&event=${event}`)
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => fire(index % 2 ? 'approved' : 'loan_issued')),
    )
    expect(replies.filter(({ json }) => json.status === 'received')).toHaveLength(1)
    expect(replies.filter(({ json }) => json.status === 'ignored')).toHaveLength(49)
    expect((await tenant.settledCallbacks(lead)).map(({ state }: { state: string }) => state)).toEqual(['delivered'])
    expect(await tenant.inbox(1)).toHaveLength(1)
  })

  it('create a single tenant with one name', async () => {
    const name = `race-${Math.random().toString(36).slice(2, 10)}`
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => adapter.request('POST', '/_sandbox/v1/tenants', { body: { name } })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  })

  it('lose no change to a tenant', async () => {
    const tenant = await createTenant(adapter)
    const settings = [
      { gender: 'required' },
      { absent_fields: 'null' },
      { status_vocabulary: 'any' },
      { semantic_refusals: 'rejected_200' },
      { duplicate_window: 'PT1S' },
    ]
    await Promise.all(settings.map(change => tenant.control('PATCH', '', { body: { settings: change } })))
    expect((await tenant.control('GET')).json.settings).toMatchObject(Object.assign({}, ...settings))
  })

  it('finish or refuse a submission whose tenant is being deleted, without a 500', async () => {
    const tenant = await createTenant(adapter)
    const replies = await Promise.all([
      ...Array.from({ length: 10 }, () => tenant.submit()),
      tenant.control('DELETE'),
      ...Array.from({ length: 5 }, () => tenant.submit()),
      tenant.control('PATCH', '', { body: { settings: { gender: 'required' } } }),
      tenant.control('DELETE'),
    ])
    expect(replies.map(({ status }) => status).filter(status => status >= 500)).toEqual([])
  })
})

const email = 'ana@example.com'

onEveryAdapter('fifty tenants at once', adapter => {
  it('with the same e-mail address do not see each other', async () => {
    const story = async () => {
      const tenant = await createTenant(adapter)
      const [first, second] = [await tenant.submit({}, email), await tenant.submit({}, email)]
      expect([first.json.status, second.json.rejection_reason]).toEqual(['distributed', 'customer_already_exists'])
      const { lead_id } = first.json
      expect((await tenant.pixel(lead_id, 'approved')).json.status).toBe('received')
      const [leads, requests, callbacks] = await Promise.all(
        ['leads', 'requests', 'callbacks'].map(async list => (await tenant.control('GET', `/${list}`)).json[list]),
      )
      expect(leads.map((lead: { lead_id: string }) => lead.lead_id)).toEqual([lead_id])
      expect(requests.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
        'received',
        'rejected',
        'distributed',
      ])
      expect(callbacks.map((callback: { lead_id: string }) => callback.lead_id)).toEqual([lead_id])
      expect((await tenant.control('DELETE')).status).toBe(200)
      return lead_id
    }
    const leads = await Promise.all(Array.from({ length: 50 }, story))
    expect(new Set(leads).size).toBe(50)
  })
})
