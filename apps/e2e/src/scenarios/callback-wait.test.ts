import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

const unknownId = '50000000-0000-4000-8000-00000000ffff'
const wait = (tenant: Tenant, lead: string, more = '') =>
  tenant.control('GET', `/callbacks/wait?lead_id=${lead}${more}`)
const inbox = (tenant: Tenant, body: object) => tenant.control('PATCH', '/inbox', { body })

inMemory('waiting for a callback', adapter => {
  /** A tenant with a frozen clock, and a lead. */
  async function ready() {
    const tenant = await createTenant(adapter, { frozen_at: '2026-06-15T12:00:00Z' })
    return { tenant, lead: await tenant.distributedLead() }
  }
  const advance = (tenant: Tenant, by = 'PT5S') => tenant.control('POST', '/clock/advance', { body: { by } })

  it('ends at once where it was delivered, also with no time to wait', async () => {
    const { tenant, lead } = await ready()
    await tenant.pixel(lead, 'approved')
    await tenant.settledCallbacks(lead)
    const { status, json } = await wait(tenant, lead.toUpperCase(), '&event=loan_issued&timeout_ms=0')
    expect([status, json.lead_id, json.event, json.state]).toEqual([200, lead, 'loan_issued', 'delivered'])
    expect((await wait(tenant, lead)).json).toEqual(json)
  })

  it('ends when it is delivered, for every waiting call', async () => {
    const { tenant, lead } = await ready()
    const waits = [wait(tenant, lead, '&event=approved'), wait(tenant, lead), wait(tenant, lead, '&event=loan_issued')]
    await tenant.pixel(lead, 'approved')
    const replies = await Promise.all(waits)
    expect(replies.map(({ json }) => [json.event, json.state])).toEqual(Array(3).fill(['loan_issued', 'delivered']))
  })

  it('takes no failed try for a delivery, and ends with the try that is', async () => {
    const { tenant, lead } = await ready()
    await inbox(tenant, { status: 503, times: 1 })
    await tenant.pixel(lead, 'approved')
    const early = await wait(tenant, lead, '&timeout_ms=20')
    expect([early.status, early.json.error]).toEqual([404, 'not_found'])
    const waiting = wait(tenant, lead)
    await advance(tenant)
    expect((await waiting).json).toMatchObject({ state: 'delivered', attempts: { length: 2 } })
  })

  it('finds an event by either of its names, whichever it was called', () =>
    eachRow(['approved', 'loan_issued'], async event => {
      const { tenant, lead } = await ready()
      await tenant.pixel(lead, 'registration')
      await tenant.pixel(lead, 'loan_issued')
      await tenant.settledCallbacks(lead)
      expect((await wait(tenant, lead, `&event=${event}`)).json).toMatchObject({ event: 'loan_issued' })
    }))

  it('is over when the time is up, for another event and for another lead', async () => {
    const { tenant, lead } = await ready()
    const other = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    await tenant.settledCallbacks(lead)
    for (const reply of [
      await wait(tenant, lead, '&event=registration&timeout_ms=20'),
      await wait(tenant, lead, '&event=nonsense&timeout_ms=0'),
      await wait(tenant, other, '&timeout_ms=20'),
    ])
      expect([reply.status, reply.json.message]).toEqual([404, expect.stringContaining('in time')])
  })

  it('does not begin for a lead that is not there, nor for one of another tenant', async () => {
    const { tenant, lead } = await ready()
    const other = await createTenant(adapter)
    for (const reply of [await wait(tenant, unknownId, '&timeout_ms=60000'), await wait(other, lead)])
      expect([reply.status, reply.json.message]).toEqual([404, expect.stringContaining('no lead')])
  })

  it('is over when the tenant is deleted', async () => {
    const { tenant, lead } = await ready()
    const waiting = wait(tenant, lead, '&timeout_ms=60000')
    await tenant.control('DELETE')
    expect((await waiting).status).toBe(404)
  })

  it('is refused with any query that is wrong', () =>
    eachRow(
      [
        ['', 'lead_id'],
        ['lead_id=1', 'lead_id'],
        [`lead_id=${unknownId}&event=`, 'event'],
        [`lead_id=${unknownId}&timeout_ms=-1`, 'timeout_ms'],
        [`lead_id=${unknownId}&timeout_ms=60001`, 'timeout_ms'],
        [`lead_id=${unknownId}&timeout_ms=soon`, 'timeout_ms'],
        [`lead_id=${unknownId}&colour=red`, 'colour'],
      ],
      async (query, field) => {
        const { tenant } = await ready()
        const { status, json } = await tenant.control('GET', `/callbacks/wait?${query}`)
        expect([status, json.details?.map((detail: { field: string }) => detail.field)]).toEqual([400, [field]])
      },
    ))

  it('is served by an inbox that fails a set number of times', async () => {
    const { tenant, lead } = await ready()
    expect((await inbox(tenant, { status: 500, times: 2 })).json).toEqual({ status: 500, times: 2 })
    await tenant.pixel(lead, 'approved')
    await advance(tenant, 'PT0S')
    expect((await tenant.control('GET', '/inbox')).json).toMatchObject({
      status: 500,
      times: 1,
      callbacks: [{ status: 500 }],
    })
    await advance(tenant, 'PT35S')
    const { callbacks, ...mode } = (await tenant.control('GET', '/inbox')).json
    expect(mode).toEqual({ status: 200 })
    expect(callbacks.map(({ status }: { status: number }) => status)).toEqual([200, 500, 500])
    expect((await inbox(tenant, { status: 500, times: 0 })).json).toEqual({ status: 200 })
  })
})
