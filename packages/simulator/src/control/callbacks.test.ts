import { describe, expect, it } from 'vitest'
import { noon, settled } from '../ports.fixture.ts'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

const noSuchLead = '00000000-0000-4000-8000-000000000000'
const atNoon = (ms: number) => new Date(noon + ms).toISOString()

/** A tenant with a lead that the advertiser has not reported on. */
async function openWithLead(settings: object = {}) {
  const calls = await openTenantClient({ name: 'qa', seed: 'callbacks', settings })
  const { lead_id } = await calls.submit(calls.leads.distributed)
  const callbackOf = async () => (await calls.get('/callbacks')).callbacks[0]
  return { ...calls, lead_id, callbackOf }
}

describe('waiting for a callback', () => {
  it("ends at once if it was already delivered, also under the event's other name", async () => {
    const { lead_id, trigger, get } = await openWithLead()
    await trigger(lead_id, 'approved')
    for (const event of ['', '&event=approved', '&event=loan_issued'])
      expect(await get(`/callbacks/wait?lead_id=${lead_id.toUpperCase()}${event}`)).toMatchObject({
        lead_id,
        state: 'delivered',
        event: 'loan_issued',
      })
  })

  it('ends when it is delivered', async () => {
    const { lead_id, trigger, get } = await openWithLead()
    const waiting = get(`/callbacks/wait?lead_id=${lead_id}&event=rejected&timeout_ms=60000`)
    await trigger(lead_id, 'approved')
    await trigger(lead_id, 'rejected')
    expect(await waiting).toMatchObject({ event: 'loan_rejected', state: 'delivered' })
  })

  it.each([
    ['', 5_000],
    ['&timeout_ms=70', 70],
  ])('without one ends after its timeout%s of %i ms', async (query, ms) => {
    const { lead_id, control, time } = await openWithLead()
    let status = 0
    const waiting = control('GET', `/callbacks/wait?lead_id=${lead_id}${query}`).then(reply => {
      status = reply.status
      return reply.json as Shown
    })
    await time.advance(ms - 1)
    expect(status).toBe(0)
    await time.advance(1)
    expect([(await waiting).error, status]).toEqual(['not_found', 404])
  })

  it('does not mistake a failed callback for a delivered one', async () => {
    const { lead_id, trigger, control, done, time } = await openWithLead({ callback_retries: [] })
    await done('PATCH', '/inbox', { status: 500 })
    await trigger(lead_id, 'approved')
    const waiting = control('GET', `/callbacks/wait?lead_id=${lead_id}&timeout_ms=0`)
    await time.advance(0)
    expect((await waiting).status).toBe(404)
  })

  it('is refused for an unknown lead', async () => {
    const { control } = await openWithLead()
    const { status, json } = await control('GET', `/callbacks/wait?lead_id=${noSuchLead}`)
    expect([status, (json as Shown).message]).toEqual([404, expect.stringContaining('lead')])
  })
})

describe('resending a callback', () => {
  it('happens automatically after a failure, and shows when', async () => {
    const { lead_id, trigger, done, time, callbackOf } = await openWithLead({ callback_retries: ['PT5S'] })
    await done('PATCH', '/inbox', { status: 503, times: 1 })
    await trigger(lead_id, 'approved')
    expect(await callbackOf()).toMatchObject({
      state: 'pending',
      attempts: [{ status: 503, at: atNoon(0) }],
      next_attempt_at: atNoon(5_000),
    })
    await time.advance(5_000)
    const callback = await callbackOf()
    expect(callback).toMatchObject({
      state: 'delivered',
      attempts: [{ status: 503 }, { status: 200, at: atNoon(5_000) }],
    })
    expect(callback).not.toHaveProperty('next_attempt_at')
  })

  it('happens on demand, by its id, or for all failures since a time or a duration, oldest first', async () => {
    const { lead_id, leads, submit, trigger, done, time, callbackOf, refused } = await openWithLead({
      callback_retries: [],
    })
    await done('PATCH', '/inbox', { status: 500 })
    const late = await submit(leads.distributed, 'late@example.com')
    await trigger(lead_id, 'approved')
    await time.advance(10_000)
    await trigger(late.lead_id, 'approved')
    expect(await callbackOf()).toMatchObject({ state: 'failed', lead_id: late.lead_id })
    const recover = async (since: string) => {
      const reply = await done('POST', '/callbacks/recover', { since })
      return [reply.since, reply.callbacks.map((each: Shown) => [each.lead_id, each.state, each.attempts.length])]
    }
    expect(await recover(atNoon(10_001))).toEqual([atNoon(10_001), []])
    expect(await recover('PT0S')).toEqual([atNoon(10_000), [[late.lead_id, 'failed', 2]]])
    await time.advance(1_000)
    expect(await recover(atNoon(10_001))).toEqual([atNoon(10_001), []])
    await done('PATCH', '/inbox', { status: 200 })
    expect(await recover('PT11S')).toEqual([
      atNoon(0),
      [
        [lead_id, 'delivered', 2],
        [late.lead_id, 'delivered', 3],
      ],
    ])
    expect(await recover('PT1H')).toEqual([atNoon(11_000 - 3_600_000), []])
    for (const since of ['2026-02-30T00:00:00Z', 'yesterday', 'P3651D', ''])
      expect(await refused('POST', '/callbacks/recover', { since })).toEqual(['since'])
  })

  it('is possible after its delivery too', async () => {
    const { lead_id, trigger, done, control, get, callbackOf } = await openWithLead()
    await trigger(lead_id, 'approved')
    const { callback_id } = await callbackOf()
    const resent = await done('POST', `/callbacks/${callback_id.toUpperCase()}/resend`)
    expect(resent).toMatchObject({ callback_id, state: 'delivered', attempts: [{ status: 200 }, { status: 200 }] })
    expect(resent.resent_after).toBe(1)
    expect((await get('/inbox')).callbacks).toHaveLength(2)
    expect((await control('POST', `/callbacks/${noSuchLead}/resend`)).status).toBe(404)
  })
})

describe('callbacks on hold', () => {
  it('wait without a due time, also on the agenda, and are sent once released', async () => {
    const { lead_id, trigger, done, callbackOf, get } = await openWithLead()
    await done('PATCH', '', { callbacks_held: true })
    await trigger(lead_id, 'approved')
    const held = await callbackOf()
    expect(held).toMatchObject({ state: 'pending', held: 'tenant', attempts: [] })
    expect(held).not.toHaveProperty('next_attempt_at')
    expect((await get('/clock/agenda')).due).toMatchObject([{ type: 'callback', held: 'tenant', lead_id, attempts: 0 }])
    expect(await done('POST', '/clock/advance', { by: 'PT1H' })).toMatchObject({ executed: 0, pending: 1, held: 1 })
    await done('PATCH', '', { callbacks_held: false })
    await settled()
    const sent = await callbackOf()
    expect(sent.state).toBe('delivered')
    expect(sent).not.toHaveProperty('held')
    expect(await done('POST', '/clock/advance', { by: 'PT1H' })).toEqual({
      now: expect.any(String),
      executed: 0,
      pending: 0,
    })
  })
})

describe('the inbox', () => {
  it('shows received callbacks, and how it currently responds', async () => {
    const { lead_id, trigger, get, done } = await openWithLead()
    await trigger(lead_id, 'approved')
    expect(await get('/inbox')).toEqual({
      status: 200,
      callbacks: [
        {
          entry_id: 'i1',
          received_at: atNoon(0),
          lead_id,
          event: 'loan_issued',
          target: expect.stringContaining(`lead_id=${lead_id}&event=loan_issued`),
          headers: {},
          status: 200,
        },
      ],
    })
    expect(await done('PATCH', '/inbox', { status: 503, times: 2 })).toEqual({ status: 503, times: 2 })
    expect(await get('/inbox')).toMatchObject({ status: 503, times: 2 })
    expect(await done('PATCH', '/inbox', { status: 503, times: 0 })).toEqual({ status: 200 })
  })

  it.each([
    [{ status: 199 }],
    [{ status: 600 }],
    [{ status: 500, times: -1 }],
    [{ times: 1 }],
    [{ status: 500, more: 1 }],
  ])('refuses to respond with %j', async mode =>
    expect(await (await openTenantClient()).refused('PATCH', '/inbox', mode)).toHaveLength(1),
  )

  it('gets the signature headers if the tenant signs its callbacks', async () => {
    const { lead_id, trigger, get } = await openWithLead({ callback_signature: 'standard_webhooks' })
    await trigger(lead_id, 'approved')
    // Another thread computes the signature.
    await expect.poll(async () => (await get('/inbox')).callbacks).toHaveLength(1)
    expect((await get('/inbox')).callbacks[0].headers).toEqual({
      'webhook-id': expect.any(String),
      'webhook-timestamp': String(noon / 1_000),
      'webhook-signature': expect.stringMatching(/^v1,/),
    })
  })
})
