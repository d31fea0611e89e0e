import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rejectionReasons } from '@lead-distribution/contract'
import { createTestLeads } from '@lead-distribution/test-leads'
import { describe, expect, it } from 'vitest'
import type { AdapterResponse } from '../adapters/adapter.ts'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import { metadata, type Tenant } from '../adapters/tenant.ts'
import { root } from '../architecture/sources.ts'
import { eachRow } from '../each-row.ts'
import { advance, openJourney } from './reader.fixture.ts'

const journey = openJourney()
const both = (work: (tenant: Tenant) => Promise<unknown>) =>
  Promise.all(['prose', 'formal'].map(async profile => work(await journey.newTenant({ profile }))))

/** What a lead also has that passes under both profiles. */
const complete = { 'customer.personal_data.gender': 'female', 'consents.metadata': metadata }

describe('both profiles', () => {
  it('differ on the smallest lead, and each journal names the switches of the other interpretation', async () => {
    const seen = await both(async tenant => {
      const { status } = await tenant.submit()
      const { requests } = (await tenant.control('GET', '/requests')).json
      return [status, requests[0].warnings.map((warning: { switch: string }) => warning.switch)]
    })
    expect(seen).toEqual([
      [200, ['gender', 'consent_metadata']],
      [400, ['gender', 'consent_metadata']],
    ])
  })

  it('agree on a complete lead, with no warning', async () => {
    const seen = await both(async tenant => {
      const { json } = await tenant.submit(complete)
      const { requests } = (await tenant.control('GET', '/requests')).json
      return [json.status, requests[0].warnings]
    })
    expect(seen).toEqual([
      ['distributed', []],
      ['distributed', []],
    ])
  })

  it('differ in absent fields, in PATCH, and in what a callback calls an event', async () => {
    const seen = await both(async tenant => {
      const { json } = await tenant.submit(complete)
      const patched = await tenant.report(json.lead_id, { status: 'approved' }, { method: 'PATCH' })
      await tenant.report(json.lead_id, { status: 'approved' })
      const callbacks = await tenant.settledCallbacks(json.lead_id)
      return [json.rejection_reason, patched.status, callbacks.map(({ event }: { event: string }) => event)]
    })
    expect(seen).toEqual([
      [undefined, 200, ['loan_issued']],
      [null, 405, ['approved']],
    ])
  })
})
const names = [
  'distributed',
  'new',
  'eligibilityFailed',
  'ageRestricted',
  'incomeInsufficient',
  'geographicRestriction',
  'consentsMissing',
  'invalidProduct',
  'unknownProduct',
  'blacklisted',
  'fraudSuspected',
  'validationError',
  'publisherMismatch',
] as const

describe('explaining', () => {
  it('predicts for every test lead what the service then answers, and changes nothing', () =>
    eachRow(names, async name => {
      const tenant = await journey.newTenant()
      const lead = createTestLeads(tenant.account)[name]()
      const { would, trace } = (await tenant.control('POST', '/leads/explain', { body: lead })).json
      expect((await tenant.control('GET', '/leads')).json.leads).toEqual([])
      expect((await tenant.control('GET', '/requests')).json.requests).toEqual([])

      const { status, json } = await tenant.submitBody(lead)
      const ofItsOwn = { lead_id: undefined, redirect_url: undefined }
      expect({ status, body: { ...json, ...ofItsOwn } }).toEqual({ ...would, body: { ...would.body, ...ofItsOwn } })
      const rejected = trace.filter(({ verdict }: { verdict: string }) => verdict === 'rejected')
      expect(rejected).toHaveLength(name === 'distributed' || name === 'new' ? 0 : 1)
    }))
})
const decided = ({ status, json }: AdapterResponse) => [status, json.status, json.rejection_reason]

describe('forcing each rejection', () => {
  it('every rejection comes by header and by e-mail alike, again and again', () =>
    eachRow(rejectionReasons, async reason => {
      const tenant = await journey.newTenant()
      const headers = { 'x-sandbox-scenario': reason }
      const byHeader = await tenant.submitBody(tenant.body(), headers)
      const byMail = await tenant.submit({}, `${reason}+a@sandbox.test`)
      const again = await tenant.submit({}, `${reason}+a@sandbox.test`)
      for (const reply of [byHeader, byMail, again]) expect(decided(reply)).toEqual([200, 'rejected', reason])

      const kept = [byHeader, byMail, again].filter(({ json }) => json.lead_id)
      const { leads } = (await tenant.control('GET', '/leads')).json
      expect(leads.map(({ lead_id }: { lead_id: string }) => lead_id).sort()).toEqual(
        kept.map(({ json }) => json.lead_id).sort(),
      )
    }))

  it('is described in the guide for every reason of the specification, both ways', () => {
    const guide = readFileSync(join(root, 'docs/guides/force-a-rejection.md'), 'utf8')
    const times = (reason: string) => guide.split(new RegExp(`\\b${reason}\\b`)).length - 1
    expect(rejectionReasons.filter(reason => times(reason) < 3)).toEqual([])
  })
})
const lifecycle = [
  { event: 'registration', after: 'PT10M' },
  { event: 'approved', after: 'P2D' },
  { event: 'completed', after: 'P30D' },
]
const creation = { frozen_at: '2026-01-01T09:00:00Z', settings: { lifecycle } }

describe('30 days of a loan', () => {
  it('report each event at its own time, and no sooner', async () => {
    const tenant = await journey.newTenant(creation)
    const lead = await tenant.distributedLead()
    const counts: number[] = []
    for (const by of ['PT9M59.999S', 'PT0.001S', 'P1DT23H49M59.999S', 'PT0.001S', 'P28D', 'P365D']) {
      await advance(tenant, by)
      counts.push((await tenant.lead(lead)).events.length)
    }
    expect(counts).toEqual([0, 1, 1, 2, 3, 3])
  })

  it('come in one order for two loans, in one leap of time, and leave nothing waiting', async () => {
    await using receiver = await openReceiver(withStatus(200))
    const tenant = await journey.newTenant({ ...creation, callback_url: receiver.url })
    const ana = await tenant.distributedLead()
    await advance(tenant, 'P1D')
    const bea = await tenant.distributedLead()
    expect(await advance(tenant, 'P31D')).toMatchObject({ now: '2026-02-02T09:00:00.000Z', pending: 0 })

    const names = { [ana]: 'Ana', [bea]: 'Bea' }
    const events = receiver.received.map(({ target }) => {
      const query = new URL(target, receiver.url).searchParams
      return `${names[query.get('lead_id') ?? '']} ${query.get('event')}`
    })
    expect(events).toEqual([
      'Ana registration',
      'Bea registration',
      'Ana loan_issued',
      'Bea loan_issued',
      'Ana loan_paid',
      'Bea loan_paid',
    ])
  })
})

it('a customer comes of age on the tenant clock', async () => {
  const tenant = await journey.newTenant({ frozen_at: '2026-01-01T09:00:00Z' })
  const submit = async () =>
    (await tenant.submit({ 'customer.personal_data.birthday': '2008-01-02' }, 'ana@example.com')).json
  expect(await submit()).toMatchObject({ status: 'rejected', rejection_reason: 'age_restriction' })
  await advance(tenant, 'P1D')
  expect(await submit()).toMatchObject({ status: 'distributed' })
})

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
