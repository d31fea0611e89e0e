import { describe, expect, it } from 'vitest'
import { noon, settled } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { overridden } from '../storage/overridden-tables.fixture.ts'
import { StorageUnavailable } from '../storage/storage-unavailable.ts'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

const at = (ms: number) => new Date(noon + ms).toISOString()
const day = 86_400_000

describe("a tenant's clock", () => {
  it('runs, and can be frozen, set forward and resumed', async () => {
    const { get, done, time } = await openTenantClient()
    await time.advance(1_000)
    expect(await get('/clock')).toEqual({ mode: 'running', now: at(1_000) })
    expect(await done('POST', '/clock', { freeze: true })).toEqual({ mode: 'frozen', now: at(1_000) })
    await time.advance(1_000)
    expect(await get('/clock')).toEqual({ mode: 'frozen', now: at(1_000) })
    expect(await done('POST', '/clock', { set: at(day) })).toEqual({ mode: 'frozen', now: at(day) })
    expect(await done('POST', '/clock', { resume: true })).toEqual({ mode: 'running', now: at(day) })
    await time.advance(1_000)
    expect(await get('/clock')).toEqual({ mode: 'running', now: at(day + 1_000) })
  })

  it('cannot go back, or past the latest time that it can show', async () => {
    const { refused, control, done } = await openTenantClient({ name: 'qa', frozen_at: at(0) })
    expect(await refused('POST', '/clock', { set: at(-1) })).toEqual(['set'])
    const { json } = await control('POST', '/clock', { set: at(-1) })
    expect((json as Shown).details[0].issue).toContain(`must be a time from ${at(0)}, the tenant's current time, to `)
    expect(await refused('POST', '/clock/advance', { by: 'P999999999D' })).toEqual(['by'])
    expect(await done('POST', '/clock', { set: at(0) })).toEqual({ mode: 'frozen', now: at(0) })
  })

  it.each([
    [{}],
    [{ freeze: true, resume: true }],
    [{ freeze: false }],
    [{ set: 'x' }],
    [{ set: '2027-02-30T00:00:00Z' }],
  ])('is not changed by %j', async change => {
    const { control, get } = await openTenantClient({ name: 'qa', frozen_at: at(0) })
    expect((await control('POST', '/clock', change)).status).toBe(400)
    expect(await get('/clock')).toEqual({ mode: 'frozen', now: at(0) })
  })
})

describe('the agenda', () => {
  const lifecycle = [
    { event: 'approved', after: 'P1D' },
    { event: 'completed', after: 'P3D' },
  ]

  it('lists scheduled jobs, earliest first, and an advance runs them in this order', async () => {
    const { submit, leads, get, done } = await openTenantClient({
      name: 'qa',
      seed: 'agenda',
      frozen_at: at(0),
      settings: { lifecycle, callback_retries: ['P1D'] },
    })
    const { lead_id } = await submit(leads.distributed)
    const report = (event: string, days: number) => ({ at: at(days * day), type: 'report', lead_id, event })
    expect(await get('/clock/agenda')).toEqual({
      now: at(0),
      due: [report('approved', 1), report('completed', 3)],
      more: 0,
    })
    await done('PATCH', '/inbox', { status: 500, times: 1 })
    expect(await done('POST', '/clock/advance', { by: 'P1D' })).toEqual({ now: at(day), executed: 2, pending: 2 })
    expect(await get('/clock/agenda')).toEqual({
      now: at(day),
      due: [
        {
          at: at(2 * day),
          type: 'callback',
          lead_id,
          event: 'loan_issued',
          callback_id: expect.any(String),
          attempts: 1,
        },
        report('completed', 3),
      ],
      more: 0,
    })
    expect(await done('POST', '/clock/advance', { by: 'P9D' })).toEqual({ now: at(10 * day), executed: 3, pending: 0 })
    expect(await get('/clock/agenda')).toEqual({ now: at(10 * day), due: [], more: 0 })
    const { events, callbacks } = await get(`/leads/${lead_id}`)
    expect(events.map((each: Shown) => [each.event, each.recorded_at])).toEqual([
      ['approved', at(day)],
      ['completed', at(3 * day)],
    ])
    expect(callbacks.map((each: Shown) => each.attempts.map((one: Shown) => [one.status, one.at]))).toEqual([
      [
        [500, at(day)],
        [200, at(2 * day)],
      ],
      [[200, at(3 * day)]],
    ])
  })

  it('lists the next hundred jobs, and says how many are due after those', async () => {
    const { submit, leads, get } = await openTenantClient({
      name: 'qa',
      seed: 'agenda',
      frozen_at: at(0),
      settings: { lifecycle },
    })
    for (let nth = 0; nth < 60; nth++) await submit(leads.distributed, `c${nth}@example.com`)
    await settled()
    const { due, more } = await get('/clock/agenda')
    expect([due.length, more]).toEqual([100, 20])
    expect(due.slice(0, 60).every((each: Shown) => each.event === 'approved')).toBe(true)
    expect(due.slice(60).every((each: Shown) => each.event === 'completed')).toBe(true)
  })
})

describe('a report that the advertiser sends by itself', () => {
  const lifecycle = [{ event: 'approved', after: 'PT1M' }]

  it('is retried if it could not be stored, even while a fault on reports is set', async () => {
    const storage = createMemoryStorage()
    const errors: string[] = []
    let fails = false
    const full = () => Promise.reject(new StorageUnavailable('The disk is full.'))
    const { submit, leads, get, done, time } = await openTenantClient(
      { name: 'qa', seed: 'reports', settings: { lifecycle } },
      {
        onError: error => void errors.push(String(error)),
        storage: {
          ...storage,
          of: name => ({
            ...storage.of(name),
            transact: work =>
              storage.of(name).transact(tables => work(fails ? overridden(tables, { addCallback: full }) : tables)),
          }),
        },
      },
    )
    await done('POST', '/faults', { match: { operation: 'reportEvent' }, effect: { status: 500 }, after: 100 })
    const { lead_id } = await submit(leads.distributed)
    fails = true
    await time.advance(60_000)
    fails = false
    expect([errors.length > 0, (await get(`/leads/${lead_id}`)).events]).toEqual([true, []])
    await time.advance(1_000)
    expect((await get(`/leads/${lead_id}`)).events).toMatchObject([{ event: 'approved' }])
  })

  it('is sent once if a fault responds with a 503', async () => {
    const { submit, leads, get, done, time } = await openTenantClient({
      name: 'qa',
      seed: 'reports',
      settings: { lifecycle },
    })
    await done('POST', '/faults', { match: { operation: 'reportEvent' }, effect: { status: 503 }, times: 1 })
    const { lead_id } = await submit(leads.distributed)
    await time.advance(120_000)
    expect([(await get(`/leads/${lead_id}`)).events, (await get('/clock/agenda')).due]).toEqual([[], []])
  })
})
