import type { LeadRecord } from '@lead-distribution/engine'
import { describe, expect, it } from 'vitest'
import { handMadeTime, noon } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import type { ScheduledReport } from '../storage/records.ts'
import type { Lifecycle } from '../storage/tenant-record.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { lifecycle, makeReports, scheduleReports } from './lifecycle.ts'

type Delivery = LeadRecord['deliveries'][number]
const accepted = (advertiser_id: string): Delivery => ({
  advertiser_id,
  name: advertiser_id,
  decision: 'accepted',
  reasons: [],
  redirect_url: 'http://127.0.0.1:1/',
})
const declined: Delivery = { advertiser_id: 'a0', name: 'a0', decision: 'declined', reasons: ['lends no such amount'] }
const loan: Lifecycle = [
  { event: 'approved', after: 'P1D' },
  { event: 'registration', after: 'PT1M' },
]

async function openTenant() {
  const time = handMadeTime()
  const sandboxStorage = createMemoryStorage()
  await sandboxStorage.addTenant(await createTenant({ tenant: 'qa', seed: '1', created_at: noon, settings: {} }))
  const storage = sandboxStorage.of('qa')
  const reported: ScheduledReport[] = []
  const note = async (report: ScheduledReport) => void reported.push(report)
  return {
    time,
    storage,
    reported,
    /** Makes the reports that are due; resolves to how many those were. */
    async makeDue(report = note) {
      const due = await storage.transact(tables => tables.listDueReports(time.clock.now(), 16))
      await makeReports(due, storage, report)
      return due.length
    },
    schedule: (lead_id: string, deliveries: Delivery[], events: Lifecycle = loan) =>
      storage.transact(tables =>
        scheduleReports({ lead_id, deliveries, received_at: noon } as LeadRecord, events, tables),
      ),
    waiting: () => storage.transact(tables => tables.countReports()),
    next: () => storage.transact(tables => tables.nextReportDue()),
  }
}

describe('scheduled reports', () => {
  it('are those of the lifecycle, by the first advertiser that took the lead, from the time it came in', async () => {
    const { schedule, storage, next } = await openTenant()
    await schedule('l1', [declined, accepted('a1'), accepted('a2')])
    const all = await storage.transact(tables => tables.listDueReports(Infinity, 9))
    expect(all).toEqual([
      { report_id: 'l1/1', lead_id: 'l1', advertiser_id: 'a1', event: 'registration', due_at: noon + 60_000 },
      { report_id: 'l1/0', lead_id: 'l1', advertiser_id: 'a1', event: 'approved', due_at: noon + 86_400_000 },
    ])
    expect(await next()).toBe(noon + 60_000)
  })

  it('are none for a lead that no advertiser took', async () => {
    const { schedule, waiting } = await openTenant()
    await schedule('l1', [])
    await schedule('l2', [declined])
    expect(await waiting()).toBe(0)
  })

  it('are made when they fall due, each once, to the millisecond', async () => {
    const { schedule, makeDue, time, reported, waiting } = await openTenant()
    await schedule('l1', [accepted('a1')])
    await time.advance(59_999)
    expect(await makeDue()).toBe(0)
    await time.advance(1)
    expect([await makeDue(), await makeDue()]).toEqual([1, 0])
    expect([reported.map(({ event }) => event), await waiting()]).toEqual([['registration'], 1])
  })

  it('are made in the order of their times, more than a batch in several', async () => {
    const { schedule, makeDue, time, reported } = await openTenant()
    for (let lead = 0; lead < 20; lead++)
      await schedule(`l${lead}`, [accepted('a1')], [{ event: 'registration', after: `PT${20 - lead}S` }])
    await time.advance(60_000)
    const counts = [await makeDue(), await makeDue(), await makeDue()]
    expect(counts).toEqual([16, 4, 0])
    expect(reported.map(({ lead_id }) => lead_id)).toEqual(Array.from({ length: 20 }, (_, n) => `l${19 - n}`))
  })

  it('stay where the report was not made, and are made the next time', async () => {
    const { schedule, makeDue, time, reported, waiting } = await openTenant()
    await schedule('l1', [accepted('a1')])
    await time.advance(60_000)
    const failing = async () => {
      throw new Error('It failed.')
    }
    await expect(makeDue(failing)).rejects.toThrow('It failed.')
    expect(await waiting()).toBe(2)
    expect([await makeDue(), reported.length]).toEqual([1, 1])
  })
})

describe('the shape of a lifecycle', () => {
  const issueOf = (value: unknown) => lifecycle.safeParse(value).error?.issues[0]?.path

  it('takes every event of the specification, up to fifty', () => {
    const fifty = Array.from({ length: 50 }, () => ({ event: 'converted', after: 'PT0S' }))
    expect(lifecycle.safeParse([...loan, { event: 'converted', after: 'P3650D' }]).success).toBe(true)
    expect([lifecycle.safeParse(fifty).success, issueOf([...fifty, fifty[0]])]).toEqual([true, []])
  })

  it.each([
    [[{ event: 'nonsense', after: 'PT1M' }], [0, 'event']],
    [[{ event: 'approved', after: '1 minute' }], [0, 'after']],
    [[{ event: 'approved', after: 'P3651D' }], [0, 'after']],
    [[{ event: 'approved', after: '-PT1M' }], [0, 'after']],
    [[{ event: 'approved' }], [0, 'after']],
    [[{ event: 'approved', after: 'PT1M', colour: 'red' }], [0]],
  ])('refuses %j at %j', (value, path) => {
    expect(issueOf(value)).toEqual(path)
  })
})
