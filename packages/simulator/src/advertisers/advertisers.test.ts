import { type Advertiser, proseInterpretation, type Settings } from '@lead-distribution/contract'
import { createLeadReader, type LeadRecord } from '@lead-distribution/engine'
import { describe, expect, it } from 'vitest'
import { manualTime, noon } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import type { ScheduledReport } from '../storage/records.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { createAdvertiserNetwork, makeReports, scheduleReports } from './advertisers.ts'

const consent = (type: string) => ({ type, accepted: true, accepted_at: '2026-06-15T09:30:00Z', version: '1' })
const offer = (data: object = {}, monthly_income?: number) => {
  const { lead } = createLeadReader()(
    {
      product_id: '20000000-0000-4000-8000-00000000000a',
      publisher_id: '10000000-0000-4000-8000-00000000000b',
      customer: {
        personal_data: { first_name: 'Ana', last_name: 'Prueba' },
        contact: { email: { address: 'ana@example.com' } },
        ...(monthly_income === undefined ? {} : { profile: { occupation: 'other', monthly_income } }),
      },
      product_data: { loan_amount: 5000, loan_purpose: 'wedding', loan_term_months: 24, ...data },
      consents: { entries: [consent('terms'), consent('privacy_policy')] },
    },
    proseInterpretation,
  )
  if (!lead) throw new Error("The test's body is not a lead.")
  return { lead_id: 'the-lead', lead }
}
const advertiser: Advertiser = {
  advertiser_id: 'the-advertiser',
  name: 'Advertiser',
  priority: 1,
  api_key: 'sandbox_adv_1_0000000000000000',
  postback_secret: 'secret',
  criteria: {
    loan_amount: { min: 1000, max: 9000 },
    loan_term_months: { min: 12, max: 36 },
    loan_purposes_excluded: ['business'],
    minimum_monthly_income: 1200,
  },
}
const network = createAdvertiserNetwork((lead, advertiser) => `http://127.0.0.1/${lead}/${advertiser}`)

describe('a simulated advertiser', () => {
  it('accepts a lead that meets its criteria, and returns the redirect URL', async () => {
    expect(await network.offer(advertiser, offer())).toEqual({
      decision: 'accepted',
      redirect_url: 'http://127.0.0.1/the-lead/the-advertiser',
    })
  })

  it.each([
    ['amount', { loan_amount: 1000 }, { loan_amount: 999 }],
    ['amount', { loan_amount: 9000 }, { loan_amount: 9001 }],
    ['term', { loan_term_months: 12 }, { loan_term_months: 11 }],
    ['term', { loan_term_months: 36 }, { loan_term_months: 37 }],
    ['purpose', { loan_purpose: 'other' }, { loan_purpose: 'business' }],
  ])('accepts the inclusive bounds of %s: accepts %j, declines %j', async (_title, taken, declined) => {
    expect((await network.offer(advertiser, offer(taken))).decision).toBe('accepted')
    expect((await network.offer(advertiser, offer(declined))).decision).toBe('declined')
  })

  it('checks the income only if the lead states one', async () => {
    expect((await network.offer(advertiser, offer({}, 1200))).decision).toBe('accepted')
    expect((await network.offer(advertiser, offer({}, 1199))).decision).toBe('declined')
  })

  it('returns every reason for declining', async () => {
    const reply = await network.offer(
      advertiser,
      offer({ loan_amount: 500, loan_term_months: 84, loan_purpose: 'business' }, 1),
    )
    expect(reply).toMatchObject({ decision: 'declined', reasons: { length: 4 } })
  })
})

type OfferResponse = LeadRecord['deliveries'][number]
const accepted = (advertiser_id: string): OfferResponse => ({
  advertiser_id,
  name: advertiser_id,
  decision: 'accepted',
  reasons: [],
  redirect_url: 'http://127.0.0.1:1/',
})
const declined: OfferResponse = {
  advertiser_id: 'a0',
  name: 'a0',
  decision: 'declined',
  reasons: ['lends no such amount'],
}
const loan: Settings['lifecycle'] = [
  { event: 'approved', after: 'P1D' },
  { event: 'registration', after: 'PT1M' },
]

async function openTenant() {
  const time = manualTime()
  const sandboxStorage = createMemoryStorage()
  await sandboxStorage.addTenant(await createTenant({ tenant: 'qa', seed: '1', created_at: noon, settings: {} }))
  const storage = sandboxStorage.of('qa')
  const reported: ScheduledReport[] = []
  const note = async (report: ScheduledReport) => void reported.push(report)
  return {
    time,
    storage,
    reported,
    /** Sends due reports, and returns their number. */
    async makeDue(report = note) {
      const due = await storage.transact(tables => tables.listDueReports(time.clock.now(), 16))
      await makeReports(due, storage, report)
      return due.length
    },
    schedule: (lead_id: string, deliveries: OfferResponse[], events: Settings['lifecycle'] = loan) =>
      storage.transact(tables =>
        scheduleReports({ lead_id, deliveries, received_at: noon } as LeadRecord, events, tables),
      ),
    waiting: () => storage.transact(tables => tables.countReports()),
    next: () => storage.transact(tables => tables.nextReportDue()),
  }
}

describe('scheduled reports', () => {
  it('follow the lifecycle, for the first advertiser that accepted, timed from the submission', async () => {
    const { schedule, storage, next } = await openTenant()
    await schedule('l1', [declined, accepted('a1'), accepted('a2')])
    const all = await storage.transact(tables => tables.listDueReports(Infinity, 9))
    expect(all).toEqual([
      { report_id: 'l1/1', lead_id: 'l1', advertiser_id: 'a1', event: 'registration', due_at: noon + 60_000 },
      { report_id: 'l1/0', lead_id: 'l1', advertiser_id: 'a1', event: 'approved', due_at: noon + 86_400_000 },
    ])
    expect(await next()).toBe(noon + 60_000)
  })

  it('do not exist for a lead that no advertiser accepted', async () => {
    const { schedule, waiting } = await openTenant()
    await schedule('l1', [])
    await schedule('l2', [declined])
    expect(await waiting()).toBe(0)
  })

  it('are sent exactly when they fall due, once each', async () => {
    const { schedule, makeDue, time, reported, waiting } = await openTenant()
    await schedule('l1', [accepted('a1')])
    await time.advance(59_999)
    expect(await makeDue()).toBe(0)
    await time.advance(1)
    expect([await makeDue(), await makeDue()]).toEqual([1, 0])
    expect([reported.map(({ event }) => event), await waiting()]).toEqual([['registration'], 1])
  })

  it('stay pending after a failure, and are sent on the next run', async () => {
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
