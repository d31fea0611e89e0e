import { rejectionReasons, rejections } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

/** The two ways to name a scenario. */
const ways = {
  'the e-mail address': (tenant: Tenant, scenario: string, customer = 'x') =>
    tenant.submit({}, `${scenario}+${customer}@sandbox.test`),
  'the header': (tenant: Tenant, scenario: string, customer = 'x') =>
    tenant.submitBody(tenant.body({}, `${customer}@example.com`), { 'x-sandbox-scenario': scenario }),
}

/** Returns a response's outcome. */
const outcomeOf = ({ status, json }: { status: number; json: Record<string, unknown> }) =>
  status === 200 ? (json.rejection_reason ?? json.status) : status

/** The rejection reasons that store the lead. */
const withLead = Object.values(rejections).flatMap(({ reason, kind }): string[] =>
  kind === 'with_lead' ? [reason] : [],
)

inMemory('scenarios', adapter => {
  describe.each(Object.entries(ways))('by %s', (_way, submit) => {
    it('force every rejection, any number of times, always as a 200', () =>
      eachRow(rejectionReasons, async reason => {
        const tenant = await createTenant(adapter)
        for (let time = 0; time < 2; time++) {
          const { status, json } = await submit(tenant, reason)
          expect([status, json.status, json.rejection_reason]).toEqual([200, 'rejected', reason])
          expect('lead_id' in json).toBe(withLead.includes(reason))
        }
      }))

    it('force a distributed lead with a working advertiser, after which its e-mail address is taken', async () => {
      const tenant = await createTenant(adapter)
      const { json } = await submit(tenant, 'distributed')
      expect(json).toMatchObject({ status: 'distributed', redirect_url: expect.stringContaining(adapter.url) })
      expect((await tenant.pixel(json.lead_id, 'registration')).json.status).toBe('received')
      expect(outcomeOf(await submit(tenant, 'distributed'))).toBe('customer_already_exists')
    })

    it('force a lead that stays new, after which its e-mail address is taken', async () => {
      const tenant = await createTenant(adapter)
      const { json } = await submit(tenant, 'new')
      expect(json).toEqual({ status: 'new', lead_id: expect.any(String) })
      expect(outcomeOf(await submit(tenant, 'new'))).toBe('customer_already_exists')
    })

    it('force every error, and store nothing', () =>
      eachRow(
        [
          ['http_401', 401, 'unauthorized'],
          ['http_422', 422, 'consents_missing'],
          ['http_500', 500, 'internal_error'],
          ['http_503', 503, 'service_unavailable'],
        ],
        async (scenario, status, error) => {
          const tenant = await createTenant(adapter)
          const reply = await submit(tenant, scenario)
          expect([reply.status, reply.json]).toEqual([status, { error, message: expect.any(String) }])
          expect((await tenant.control('GET', '/leads')).json).toEqual({ leads: [] })
        },
      ))

    it('apply one scenario of a chain per submission, and repeat the last', async () => {
      const tenant = await createTenant(adapter)
      const chain = 'http_500.http_503.age_restriction.distributed'
      const outcomes = []
      for (let time = 0; time < 6; time++) outcomes.push(outcomeOf(await submit(tenant, chain)))
      expect(outcomes).toEqual([
        500,
        503,
        'age_restriction',
        'distributed',
        'customer_already_exists',
        'customer_already_exists',
      ])
    })

    it('cut the connection of a lost reply after the lead was stored', async () => {
      const tenant = await createTenant(adapter)
      await expect(submit(tenant, 'lost_reply')).rejects.toThrow()
      const { leads } = (await tenant.control('GET', '/leads')).json
      expect(leads.map((lead: { status: string }) => lead.status)).toEqual(['distributed'])
      expect(outcomeOf(await submit(tenant, 'lost_reply').catch(() => ({ status: 0, json: {} })))).toBe(0)
      expect((await tenant.control('GET', '/leads')).json.leads).toHaveLength(1)
    })
  })

  it('never respond to a timeout, and store nothing', async () => {
    const tenant = await createTenant(adapter)
    const giveUp = new AbortController()
    const body = tenant.body({}, 'timeout+x@sandbox.test')
    const reply = adapter.request('POST', '/api/v1/lead', {
      body,
      headers: { apikey: tenant.publisherKey },
      signal: giveUp.signal,
    })
    const ended = expect(reply).rejects.toThrow()
    const journal = async () => (await tenant.control('GET', '/requests')).json.requests
    await expect.poll(journal).toMatchObject([{ status: 0, broken: 'withheld' }])
    giveUp.abort(new Error('given up'))
    await ended
    expect((await tenant.control('GET', '/leads')).json).toEqual({ leads: [] })
  })

  it('act only after key, shape and semantic checks, which use up no scenario in a chain', async () => {
    const tenant = await createTenant(adapter)
    const email = 'http_500.distributed+x@sandbox.test'
    const submit = (changes?: object) => tenant.submit(changes as never, email)
    expect((await tenant.submitBody(tenant.body({}, email), { apikey: 'sandbox_pub_none_none' })).status).toBe(401)
    expect((await submit({ 'product_data.loan_amount': 499 })).status).toBe(400)
    expect((await submit({ publisher_id: tenant.advertiser().advertiser_id })).json.error).toBe('publisher_mismatch')
    expect((await submit({ product_id: tenant.advertiser().advertiser_id })).json.error).toBe('invalid_product')
    expect((await submit({ 'consents.entries': [] })).json.error).toBe('consents_missing')
    expect((await submit()).status).toBe(500)
    expect((await submit()).json.status).toBe('distributed')
  })

  it('override every business rule', async () => {
    const tenant = await createTenant(adapter)
    const changes = {
      product_id: tenant.product(false).product_id,
      'customer.profile': { occupation: 'unemployed', monthly_income: 0 },
    }
    expect((await tenant.submit(changes, 'distributed+x@sandbox.test')).json.status).toBe('distributed')
  })

  it('match faults by the scenario that decided the lead, on its submission, reports and callbacks', () =>
    eachRow(
      [
        // The header, the name in the address, and the scenario of each submission.
        [undefined, 'distributed', ['distributed']],
        ['distributed', 'x', ['distributed']],
        ['distributed', 'new', ['distributed']],
        ['distributed', 'slow', ['distributed']],
        [undefined, 'slow', ['slow']],
        [undefined, 'SLOW', ['slow']],
        ['http_500.distributed', 'x', ['http_500', 'distributed']],
        ['http_500.distributed', 'new', ['http_500', 'distributed']],
        [undefined, 'http_500.distributed', ['http_500', 'distributed']],
        [undefined, 'http_500.http_503.Distributed', ['http_500', 'http_503', 'distributed']],
      ],
      async (header, name, expected) => {
        const tenant = await createTenant(adapter)
        const { faults } = tenant.client
        const matched = async () =>
          (await faults.list()).faults
            .filter(fault => fault.matched > 0)
            .map(({ match, matched }) => [match.operation, match.scenario, matched])
        const known = new Set([...expected, name.toLowerCase(), 'new', ...(header === undefined ? [] : [header])])
        for (const scenario of known)
          for (const operation of ['submitLead', 'reportStatus', 'reportEvent', 'callback'] as const)
            await faults.add({ match: { operation, scenario }, effect: { status: 503 }, after: 99 })
        let lead = ''
        for (const _ of expected) {
          const headers = header === undefined ? {} : { 'x-sandbox-scenario': header }
          const { json } = await tenant.submitBody(tenant.body({}, `${name}+x@sandbox.test`), headers)
          lead = json.lead_id
        }
        const submitted = expected.map(scenario => ['submitLead', scenario, 1])
        expect(await matched()).toEqual(submitted)
        const decided = expected.at(-1)
        await tenant.report(lead, { status: 'converted' })
        await tenant.pixel(lead, 'approved')
        await tenant.settledCallbacks(lead)
        expect((await matched()).sort()).toEqual(
          [...submitted, ['reportStatus', decided, 1], ['reportEvent', decided, 1], ['callback', decided, 2]].sort(),
        )
      },
    ))

  it('refuse a header that is not a scenario, and store nothing', () =>
    eachRow(['nonsense', 'http_500.nonsense', '', 'HTTP_500', 'http_500.'], async scenario => {
      const tenant = await createTenant(adapter)
      const reply = await tenant.submitBody(tenant.body(), { 'x-sandbox-scenario': scenario })
      expect([reply.status, reply.json.details?.[0].field]).toEqual([400, 'x-sandbox-scenario'])
      expect((await tenant.control('GET', '/leads')).json).toEqual({ leads: [] })
    }))
})
