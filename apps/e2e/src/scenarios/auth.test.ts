import { expect, it } from 'vitest'
import type { Door } from '../doors/door.ts'
import { atEveryDoor } from '../doors/every-door.ts'
import { createTenant, type Tenant } from '../doors/tenant.ts'

const nobody = '40000000-0000-4000-8000-00000000ffff'

/** Every way to be nobody: what is called, and by which headers. */
async function refusals(door: Door, tenant: Tenant) {
  const { publisherKey } = tenant
  const submit = (headers: Record<string, string>, target = '/api/v1/lead') =>
    door.request('POST', target, { body: tenant.body(), headers })
  const report = (headers: Record<string, string>, method = 'POST') =>
    door.request(method, `/api/v1/lead/${nobody}/status`, { body: { status: 'converted' }, headers })
  const pixel = (query: string) => door.request('GET', `/api/v1/lead/${nobody}/status${query}`)
  return Promise.all([
    submit({}),
    submit({ apikey: '' }),
    submit({ apikey: 'sandbox_pub_unknown_key' }),
    submit({ apikey: `${publisherKey}x` }),
    submit({ apikey: publisherKey.toUpperCase() }),
    submit({ apikey: tenant.advertiserKey() }),
    submit({ authorization: `Bearer ${publisherKey}` }),
    submit({ 'x-api-key': publisherKey }),
    submit({}, `/api/v1/lead?apikey=${publisherKey}`),
    submit({ apikey: publisherKey }, `/api/v1/lead?apikey=${publisherKey}`),
    report({}),
    report({ apikey: publisherKey }),
    report({ apikey: publisherKey }, 'PATCH'),
    pixel(''),
    pixel('?token=&event=registration'),
    pixel('?token=abc&event=registration'),
    pixel('?token=abc&event=nonsense'),
  ])
}

atEveryDoor('authentication', door => {
  it('answers whoever may not with one and the same 401 [5/scope] [5/missing_or_invalid_key] [5/where] [4.1/401] [7/401]', async () => {
    const tenant = await createTenant(door)
    const replies = await refusals(door, tenant)
    for (const { status, text } of replies) expect([status, text]).toEqual([401, replies[0]?.text])
    expect(replies[0]?.json).toEqual({ error: 'unauthorized', message: expect.any(String) })
  })

  it('asks for the key before it looks at the body [4.1/401]', async () => {
    for (const body of ['', '{', 'x'.repeat(300_000)]) {
      const { status } = await door.request('POST', '/api/v1/lead', { body, headers: { 'content-type': 'text/plain' } })
      expect(status).toBe(401)
    }
  })

  it('takes the key of the scope that an endpoint is for [5/publisher_key] [5/advertiser_key]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    expect((await tenant.report(lead, { status: 'converted' })).status).toBe(200)
  })

  it('takes the name of the header in any letter case [5/scheme]', async () => {
    const tenant = await createTenant(door)
    const headers = { ApiKey: tenant.publisherKey }
    expect((await door.request('POST', '/api/v1/lead', { body: tenant.body(), headers })).status).toBe(200)
  })

  it('knows no key of a tenant that was deleted [5/missing_or_invalid_key]', async () => {
    const tenant = await createTenant(door)
    await tenant.control('DELETE')
    expect((await tenant.submit()).status).toBe(401)
  })
})
