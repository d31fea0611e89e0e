import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

const noon = '2026-06-15T12:00:00.000Z'
const behindNoon = (seconds: number) => new Date(Date.parse(noon) + seconds * 1000).toISOString()

const add = async (tenant: Tenant, effect: object, more: object = {}) => {
  const { status, json } = await tenant.control('POST', '/faults', {
    body: { match: { operation: 'callback' }, effect, ...more },
  })
  expect([status, json.details]).toEqual([201, undefined])
  return json.fault_id as string
}
const advance = async (tenant: Tenant, by: string) => {
  const { status, json } = await tenant.control('POST', '/clock/advance', { body: { by } })
  expect([status, json.details]).toEqual([200, undefined])
  return json
}

inMemory('faults on callbacks', adapter => {
  /** A tenant with a frozen clock, a lead, and a receiver that records its requests. */
  async function ready() {
    const receiver = await openReceiver()
    const tenant = await createTenant(adapter, {
      callback_url: receiver.url,
      frozen_at: noon,
      settings: { callback_retries: ['PT5S'] },
    })
    return {
      tenant,
      lead: await tenant.distributedLead(),
      got: () => receiver.received.map(({ target }) => new URLSearchParams(target.split('?')[1]).get('event')),
      [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
    }
  }
  const callbacksOf = async (tenant: Tenant, lead: string) => {
    // An advance by zero resolves when everything due is done.
    await advance(tenant, 'PT0S')
    return (await tenant.lead(lead)).callbacks
  }

  it('by drop or a status: fail an attempt that the receiver does not see, and are retried', () =>
    eachRow(
      [
        ['drop', { drop: true }, { error: expect.stringContaining('dropped') }],
        ['a status', { status: 503 }, { status: 503 }],
      ],
      async (_title, effect, attempt) => {
        await using subject = await ready()
        const { tenant, lead, got } = subject
        const fault_id = await add(tenant, effect, { times: 1 })
        await tenant.pixel(lead, 'approved')
        const ms = expect.any(Number)
        const first = { at: noon, ms, fault_id, ...attempt }
        expect(await callbacksOf(tenant, lead)).toMatchObject([
          { state: 'pending', attempts: [first], next_attempt_at: behindNoon(5) },
        ])
        expect(got()).toEqual([])
        await advance(tenant, 'PT5S')
        expect(await callbacksOf(tenant, lead)).toMatchObject([
          { state: 'delivered', attempts: [first, { at: behindNoon(5), status: 200, ms }] },
        ])
        expect(got()).toEqual(['loan_issued'])
      },
    ))

  it('by duplicates: send identical copies, including the signature', async () => {
    await using receiver = await openReceiver()
    const tenant = await createTenant(adapter, {
      callback_url: receiver.url,
      frozen_at: noon,
      settings: { callback_signature: 'standard_webhooks' },
    })
    await add(tenant, { duplicate: 1 })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    await callbacksOf(tenant, lead)
    const signatures = receiver.received.map(({ headers }) => [headers['webhook-id'], headers['webhook-signature']])
    expect([signatures.length, signatures[1]]).toEqual([2, signatures[0]])
  })

  it('by delay: send the callback once, at its time', async () => {
    await using subject = await ready()
    const { tenant, lead, got } = subject
    await add(tenant, { delay: 'PT90S' })
    await tenant.pixel(lead, 'approved')
    await tenant.pixel(lead, 'rejected')
    expect(await callbacksOf(tenant, lead)).toMatchObject([
      { state: 'pending', attempts: [], held: 'delay', next_attempt_at: behindNoon(90) },
      { state: 'pending', attempts: [], next_attempt_at: noon },
    ])
    await advance(tenant, 'PT89.999S')
    expect(got()).toEqual([])
    await advance(tenant, 'PT0.001S')
    expect(got()).toEqual(['loan_issued'])
    expect(await callbacksOf(tenant, lead)).toMatchObject([
      { state: 'delivered', attempts: [{ at: behindNoon(90), status: 200 }] },
      { held: 'delay', next_attempt_at: behindNoon(180) },
    ])
    await advance(tenant, 'PT1H')
    expect(got()).toHaveLength(2)
  })
})
