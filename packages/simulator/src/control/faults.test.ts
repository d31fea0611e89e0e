import { describe, expect, it } from 'vitest'
import { noon } from '../ports.fixture.ts'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

const onSubmit = { operation: 'submitLead' }
const onCallback = { operation: 'callback' }

describe('a fault', () => {
  it('that cannot apply says which effects can', async () => {
    const { control } = await openTenantClient()
    const issueOf = async (match: object, effect: object) => {
      const { json } = await control('POST', '/faults', { match, effect })
      return (json as Shown).details[0].issue
    }
    expect(await issueOf(onCallback, { reset: true })).toBe(
      'does not apply to callback: use one of status, drop, delay, duplicate, reorder',
    )
    expect(await issueOf(onSubmit, { drop: true })).toBe(
      'does not apply to submitLead: use one of status, latency_ms, timeout, reset, malformed, lost_reply',
    )
  })

  it('is one of at most a thousand', async () => {
    const { done, control } = await openTenantClient()
    const one = { match: onSubmit, effect: { status: 500 }, times: 0 }
    for (let nth = 0; nth < 1_000; nth++) await done('POST', '/faults', one)
    const { json } = await control('POST', '/faults', one)
    expect((json as Shown).error).toBe('too_many')
  })

  it('delays a call by its latency, on real time', async () => {
    const { done, submit, leads, time } = await openTenantClient({
      name: 'qa',
      frozen_at: new Date(noon).toISOString(),
    })
    await done('POST', '/faults', { match: onSubmit, effect: { latency_ms: 1_500 } })
    let reply: Shown
    const submitting = submit(leads.distributed).then(answered => {
      reply = answered
    })
    await time.advance(1_499)
    expect(reply).toBeUndefined()
    await time.advance(1)
    await submitting
    expect(reply.status).toBe('distributed')
  })
})

describe('a scenario', () => {
  it('is not used up by a dry run', async () => {
    const { leads, done, submit } = await openTenantClient()
    const lead = leads.distributed({ customer: { contact: { email: { address: 'http_500.new+a@sandbox.test' } } } })
    for (let nth = 0; nth < 2; nth++)
      expect((await done('POST', '/leads/explain', lead)).would).toMatchObject({ status: 500 })
    expect((await submit(lead)).status).toBe(500)
    expect((await done('POST', '/leads/explain', lead)).would).toMatchObject({ status: 200, body: { status: 'new' } })
  })
})
