import { describe, expect, it } from 'vitest'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import { advance, openJourney } from './journey.fixture.ts'

const journey = openJourney()
const frozen_at = '2026-01-01T09:00:00Z'

describe('a receiver that is down for two tries', () => {
  it('is asked at once, after five seconds and after thirty more, and never again', async () => {
    await using receiver = await openReceiver((response, count) => withStatus(count <= 2 ? 503 : 204)(response))
    const tenant = await journey.newTenant({ frozen_at, callback_url: receiver.url })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    await expect.poll(() => receiver.received.length).toBe(1)

    const tries: number[] = []
    for (const by of ['PT4.999S', 'PT0.001S', 'PT29.999S', 'PT0.001S', 'P1D']) {
      await advance(tenant, by)
      tries.push(receiver.received.length)
    }
    expect(tries).toEqual([1, 2, 2, 3, 3])
    expect(new Set(receiver.received.map(({ target }) => target))).toEqual(
      new Set([`/?lead_id=${lead}&event=loan_issued`]),
    )
    expect((await tenant.lead(lead)).callbacks).toMatchObject([
      {
        state: 'delivered',
        attempts: [
          { at: '2026-01-01T09:00:00.000Z', status: 503 },
          { at: '2026-01-01T09:00:05.000Z', status: 503 },
          { at: '2026-01-01T09:00:35.000Z', status: 204 },
        ],
      },
    ])
  })

  it('is given up after the last try, when it stays down', async () => {
    await using receiver = await openReceiver(withStatus(503))
    const tenant = await journey.newTenant({ frozen_at, callback_url: receiver.url })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    expect(await advance(tenant, 'P1D')).toMatchObject({ pending: 0 })
    expect((await tenant.lead(lead)).callbacks).toMatchObject([{ state: 'failed', attempts: { length: 6 } }])
    expect(receiver.received).toHaveLength(6)
  })
})
