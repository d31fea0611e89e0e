import { expect, it } from 'vitest'
import { advance, openJourney } from './journey.fixture.ts'

const journey = openJourney()

it('a restored account goes the same way again: same ids, same time, same answers', async () => {
  const tenant = await journey.newTenant({ frozen_at: '2026-01-01T09:00:00Z' })
  const lead = await tenant.distributedLead()
  expect((await tenant.control('POST', '/snapshots', { body: { name: 'ready' } })).status).toBe(201)

  const ways: unknown[] = []
  for (let way = 0; way < 2; way++) {
    const { now } = await advance(tenant, 'P10D')
    const { json: reported } = await tenant.pixel(lead, 'approved')
    const { json: submitted } = await tenant.submit({}, 'next@example.com')
    const callbacks = await tenant.settledCallbacks(lead)
    ways.push({
      now,
      reported,
      submitted,
      ids: callbacks.map(({ callback_id }: { callback_id: string }) => callback_id),
    })
    expect((await tenant.control('POST', '/snapshots/ready/restore')).status).toBe(200)
    expect((await tenant.control('GET', '/clock')).json.now).toBe('2026-01-01T09:00:00.000Z')
    expect((await tenant.lead(lead)).events).toEqual([])
    expect((await tenant.control('GET', '/leads')).json.leads).toHaveLength(1)
  }
  expect(ways[1]).toEqual(ways[0])
  expect(ways[0]).toMatchObject({ reported: { status: 'received' }, submitted: { status: 'distributed' } })
})
