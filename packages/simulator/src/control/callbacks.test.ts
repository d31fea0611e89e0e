import { describe, expect, it } from 'vitest'
import { noon } from '../ports.fixture.ts'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

/** A tenant with a lead, which the advertiser has not reported on. */
async function openWithLead() {
  const calls = await openTenantClient({ name: 'qa', seed: 'callbacks' })
  const { lead_id } = await calls.submit(calls.leads.distributed)
  return { ...calls, lead_id }
}

describe('waiting for a callback', () => {
  it.each([
    ['', 5_000],
    ['&timeout_ms=70', 70],
  ])('without one ends after its time-out%s of %i ms', async (query, ms) => {
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
})

describe('the inbox', () => {
  it('shows what it received, and how it answers now', async () => {
    const { lead_id, trigger, get, done } = await openWithLead()
    await trigger(lead_id, 'approved')
    expect(await get('/inbox')).toEqual({
      status: 200,
      callbacks: [
        {
          entry_id: 'i1',
          received_at: new Date(noon).toISOString(),
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
})
