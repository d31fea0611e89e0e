import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, metadata, type Tenant } from '../adapters/tenant.ts'

const runs = { numRuns: 120 }
const json = { 'content-type': 'application/json' }
const odd = fc.oneof(
  fc.jsonValue({ stringUnit: 'binary' }),
  fc.constantFrom<unknown>(
    '',
    '\0',
    '\ud800',
    '__proto__',
    'x'.repeat(5000),
    -1,
    1e308,
    0.1,
    -0,
    2 ** 53,
    [],
    {},
    [[]],
    null,
    true,
  ),
)

/** Every place of a value, by its dotted path. */
function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path]
  const below = Object.entries(value).flatMap(([key, child]) => pathsOf(child, path ? `${path}.${key}` : key))
  return path ? [path, ...below] : below
}

const fullChanges = {
  'customer.external_id': 'crm-1',
  'customer.personal_data.gender': 'female',
  'customer.personal_data.birthday': '1990-01-31',
  'customer.contact.phone': { area_code: '+34', number: '600123456', status: 'verified' },
  'customer.address': { city: 'Burgos', country: 'ES' },
  'customer.profile': { occupation: 'other', monthly_income: 2000, children: 1 },
  'customer.financial_instruments': [{ type: 'bank_account', currency: 'EUR' }],
  'consents.metadata': metadata,
  tracking: { click_id: 'c', source: 'https://example.com' },
}

/** Sends the text and sees that it is answered, and not with an internal error. */
async function isAnswered(tenant: Tenant, text: string): Promise<void> {
  const { status, json: reply } = await tenant.submitBody(text, json)
  expect([200, 400, 422], text).toContain(status)
  if (status === 400 && reply.error === 'validation_error') expect(reply.details.length).toBeGreaterThan(0)
}

inMemory('any JSON', adapter => {
  it('as a submission is answered, and never by a 500 [4.1/400]', async () => {
    const tenant = await createTenant(adapter)
    await fc.assert(
      fc.asyncProperty(fc.json({ stringUnit: 'binary' }), text => isAnswered(tenant, text)),
      runs,
    )
  })

  it('at any place of a full lead is answered, and never by a 500 [4.1/400]', async () => {
    const tenant = await createTenant(adapter)
    const paths = pathsOf(tenant.body(fullChanges))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), odd, async (path, value) => {
        await isAnswered(tenant, JSON.stringify(tenant.body({ ...fullChanges, [path]: value })))
      }),
      { numRuns: 200 },
    )
  })

  it('as a status update is answered, and never by a 500, in either vocabulary [4.2/errors]', async () => {
    for (const status_vocabulary of ['known', 'any']) {
      const tenant = await createTenant(adapter, { settings: { status_vocabulary } })
      const lead = await tenant.distributedLead()
      await fc.assert(
        fc.asyncProperty(odd, odd, odd, async (status, advertiser_id, metadata) => {
          const reply = await tenant.report(lead, { status, advertiser_id, metadata })
          expect([200, 400], JSON.stringify([status, advertiser_id, metadata])).toContain(reply.status)
          expect([200, 400]).toContain((await tenant.report(lead, { status })).status)
        }),
        { numRuns: 60 },
      )
      expect((await tenant.control('GET', `/leads/${lead}`)).status).toBe(200)
    }
  })

  it('in a path or a query is answered, and never by a 500 [4.3/rule-1]', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).map(value => {
      try {
        return encodeURIComponent(value)
      } catch {
        return '%ED%A0%80'
      }
    })
    await fc.assert(
      fc.asyncProperty(text, text, text, async (lead, token, event) => {
        const { status } = await adapter.request(
          'GET',
          `/api/v1/lead/${lead}/status?token=${token}&event=${event}&${event}=1`,
        )
        expect([401, 404]).toContain(status)
        expect((await adapter.request('GET', `/_sandbox/advertiser/${lead}/${token}`)).status).toBe(404)
        expect([404]).toContain((await adapter.request('GET', `/_sandbox/v1/tenants/none/leads/${lead}`)).status)
      }),
      { numRuns: 60 },
    )
  })

  it('with odd keys changes nothing but itself', async () => {
    const tenant = await createTenant(adapter)
    const text = JSON.stringify(tenant.body())
    const polluted = `${text.slice(0, -1)},"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"toString":1}`
    expect((await tenant.submitBody(polluted, json)).json.status).toBe('distributed')
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
    const change = await tenant.control('PATCH', '', {
      body: '{"settings":{"__proto__":{"gender":"required"}}}',
      headers: json,
    })
    expect(change.status).toBe(400)
  })
})
