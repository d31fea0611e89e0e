import { describe, expect, it } from 'vitest'
import { noon, settled } from '../ports.fixture.ts'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

const minute = 60_000
const at = (ms: number) => new Date(noon + ms).toISOString()
const frozen = { name: 'qa', seed: 'activity', frozen_at: at(0) }

/** The spans with submissions. */
const busy = ({ submissions }: Shown) =>
  submissions.spans.filter((each: Shown) => each.new + each.distributed + each.rejected > 0)

describe("a tenant's activity", () => {
  it('counts leads by the minute in which they were received, and rejections by reason', async () => {
    const { submit, leads, get, done } = await openTenantClient(frozen)
    await submit(leads.distributed)
    await submit(leads.ageRestricted)
    await done('POST', '/clock/advance', { by: 'PT59.999S' })
    await submit(leads.ageRestricted)
    await done('POST', '/clock/advance', { by: 'PT0.001S' })
    await submit(leads.new)
    await submit(leads.geographicRestriction)
    const activity = await get('/activity')
    expect(activity).toMatchObject({ from: at(-58 * minute), to: at(2 * minute), span: 'PT1M' })
    expect(activity.submissions.spans).toHaveLength(60)
    expect(busy(activity)).toEqual([
      { at: at(0), new: 0, distributed: 1, rejected: 2 },
      { at: at(minute), new: 1, distributed: 0, rejected: 1 },
    ])
    expect(activity.submissions.reasons).toEqual([
      { reason: 'age_restriction', count: 2 },
      { reason: 'geographic_restriction', count: 1 },
    ])
    expect(activity.submissions).not.toHaveProperty('since')
  })

  it('counts rejections that created no lead, and says since when if the journal has dropped some', async () => {
    const { submit, leads, get, done } = await openTenantClient(
      { ...frozen, settings: { semantic_refusals: 'rejected_200' } },
      { journalLimit: 100 },
    )
    await submit(leads.distributed, 'ana@example.com')
    for (const build of [leads.distributed, leads.unknownProduct, leads.consentsMissing])
      await submit(build, 'ana@example.com')
    const { submissions } = await get('/activity')
    expect(busy({ submissions })).toEqual([{ at: at(0), new: 0, distributed: 1, rejected: 3 }])
    expect(submissions.reasons).toEqual(
      ['consents_missing', 'invalid_product', 'customer_already_exists'].map(reason => ({ reason, count: 1 })),
    )
    expect(submissions).not.toHaveProperty('since')
    await done('POST', '/clock/advance', { by: 'PT1M' })
    for (let nth = 0; nth < 99; nth++) await submit(leads.distributed, 'ana@example.com')
    expect((await get('/activity')).submissions).toMatchObject({
      reasons: [
        { reason: 'customer_already_exists', count: 99 },
        { reason: 'consents_missing', count: 1 },
      ],
      since: at(0),
    })
  })

  it('leaves out entries older than the period', async () => {
    const { submit, leads, get, done } = await openTenantClient(frozen)
    await submit(leads.ageRestricted)
    await done('POST', '/clock/advance', { by: 'PT1H' })
    const hour = await get('/activity')
    expect([busy(hour), hour.submissions.reasons, hour.requests]).toEqual([[], [], { operations: [] }])
    const day = await get('/activity?period=day')
    expect(day).toMatchObject({ from: at(-22.5 * 60 * minute), to: at(90 * minute), span: 'PT30M' })
    expect(busy(day)).toEqual([{ at: at(0), new: 0, distributed: 0, rejected: 1 }])
    await done('POST', '/clock/advance', { by: 'P1D' })
    expect(busy(await get('/activity?period=day'))).toEqual([])
  })

  it('counts callbacks by state: pending ones of any age, the others by their last attempt', async () => {
    const { submit, leads, get, done, trigger } = await openTenantClient({
      ...frozen,
      settings: { callback_retries: ['P2D'] },
    })
    const { lead_id } = await submit(leads.distributed)
    await trigger(lead_id, 'registration')
    await done('PATCH', '/inbox', { status: 500 })
    await trigger(lead_id, 'approved')
    expect((await get('/activity')).callbacks).toEqual({ pending: 1, delivered: 1, failed: 0 })
    await done('POST', '/clock/advance', { by: 'P1D' })
    expect((await get('/activity')).callbacks).toEqual({ pending: 1, delivered: 0, failed: 0 })
    await done('POST', '/clock/advance', { by: 'P1D' })
    await settled()
    expect((await get('/activity')).callbacks).toEqual({ pending: 0, delivered: 0, failed: 1 })
  })

  it('shows the duration of requests by operation', async () => {
    const { submit, leads, get, trigger } = await openTenantClient(frozen)
    const { lead_id } = await submit(leads.distributed)
    await trigger(lead_id, 'approved')
    const duration = { count: 1, p50_ms: expect.any(Number), p99_ms: expect.any(Number) }
    expect((await get('/activity')).requests.operations).toEqual([
      { operation: 'reportEvent', ...duration },
      { operation: 'submitLead', ...duration },
    ])
  })

  it('says since when everything is counted, if there are more rows than it reads', async () => {
    const { submit, leads, get, done } = await openTenantClient(frozen, { journalLimit: 2_000 })
    for (let nth = 0; nth < 1_001; nth++) await submit(leads.ageRestricted)
    await done('POST', '/clock/advance', { by: 'PT1M' })
    await submit(leads.ageRestricted)
    const { requests } = await get('/activity')
    expect(requests).toMatchObject({ operations: [{ count: 1_000 }], since: at(0) })
  })
})
