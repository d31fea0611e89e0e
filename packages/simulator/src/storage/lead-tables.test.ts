import type { LeadRecord } from '@lead-distribution/engine'
import { beforeEach, describe, expect, it } from 'vitest'
import type { LeadFilter } from './lead-tables.ts'
import type { LeadSearch } from './queries.ts'
import { callbackRecord, eventRecord, leadRecord, openTables, scheduledReport } from './records.fixture.ts'
import type { SandboxTables } from './sandbox-tables.ts'

let tables: SandboxTables
beforeEach(async () => {
  tables = await openTables()
})

const rejected = { status: 'rejected', rejection_reason: 'age_restriction' } as const
const idsOf = (leads: readonly LeadRecord[]) => leads.map(({ lead_id }) => lead_id)

describe('a customer', () => {
  const find = (product = 'p1', email = 'ana@example.com') => tables.findCustomer(product, email)
  const claim = (lead: string, product = 'p1', email = 'ana@example.com') => tables.claimCustomer(product, email, lead)
  const refuse = (at: number) => tables.markRefused('p1', 'ana@example.com', at)

  it('has one lead and the last refusal, before and after the claim', async () => {
    expect(await find()).toBeUndefined()
    await refuse(1)
    await refuse(2)
    expect(await find()).toEqual({ refused_at: 2 })
    expect(await claim('l1')).toBe(true)
    await refuse(3)
    expect(await claim('l2')).toBe(false)
    expect(await find()).toEqual({ lead_id: 'l1', refused_at: 3 })
  })

  it('is an exact address within a product', async () => {
    expect([await claim('l1'), await claim('l2', 'p2'), await claim('l3', 'p1', 'Ana@example.com')]).toEqual([
      true,
      true,
      true,
    ])
    expect([await find(), await find('p2'), await find('p3')]).toEqual([
      { lead_id: 'l1' },
      { lead_id: 'l2' },
      undefined,
    ])
  })
})

describe('a lead', () => {
  it('is read back unchanged, and updates the newest id', async () => {
    expect(await tables.newestIds()).toEqual({ lead_id: undefined, callback_id: undefined })
    await tables.addLead(leadRecord('l1'))
    await tables.addLead(leadRecord('l2', rejected))
    await tables.addCallback(callbackRecord('c1', 'l1'))
    expect(await tables.findLead('l2')).toStrictEqual(leadRecord('l2', rejected))
    expect(await tables.findLead('l3')).toBeUndefined()
    expect(await tables.newestIds()).toEqual({ lead_id: 'l2', callback_id: 'c1' })
  })

  it('stores the last back-end response of an advertiser', async () => {
    const accepted = { decision: 'accepted' as const, reasons: [], redirect_url: 'http://127.0.0.1/' }
    const deliveries = ['a1', 'a2'].map(advertiser_id => ({ advertiser_id, name: advertiser_id, ...accepted }))
    for (const id of ['l1', 'l2']) await tables.addLead(leadRecord(id, { deliveries }))
    const response = { at: 1, status: 201, ms: 2 }
    await tables.recordBackendResponse('l1', 'a2', { at: 0, error: 'refused', ms: 0 })
    for (const [lead, advertiser] of [
      ['l1', 'a2'],
      ['l1', 'a9'],
      ['l9', 'a1'],
    ] as const)
      await tables.recordBackendResponse(lead, advertiser, response)
    expect(await tables.listLeads({ limit: 9 })).toEqual([
      leadRecord('l2', { deliveries }),
      leadRecord('l1', { deliveries: [deliveries[0], { ...deliveries[1], backend: response }] as never }),
    ])
  })
})

describe('events', () => {
  it('are recorded once per lead and advertiser, and listed in recording order', async () => {
    const events = [
      eventRecord('l1', 'sale', { via: 'body' }),
      eventRecord('l1', 'lead', { reported_as: 'other', recorded_at: 1 }),
      eventRecord('l1', 'sale', { advertiser_id: 'a2' }),
      eventRecord('l2', 'sale'),
    ]
    for (const event of events) expect(await tables.claimEvent(event)).toBe(true)
    for (const event of events) expect(await tables.claimEvent({ ...event, ref: 'again' })).toBe(false)
    expect(await tables.listEvents('l1')).toEqual(events.slice(0, 3))
  })

  it('are listed for a range of leads', async () => {
    const ids = ['l1', 'l2', 'l3', 'l4']
    for (const event of ['sale', 'approval'])
      for (const id of ids.toReversed()) await tables.claimEvent(eventRecord(id, event))
    const listed = async (from: string, through: string) =>
      (await tables.listEvents(from, through)).map(({ lead_id, event }) => `${lead_id} ${event}`)
    expect(await listed('l2', 'l3')).toEqual(['l2 sale', 'l2 approval', 'l3 sale', 'l3 approval'])
    expect(await listed('l1', 'l9')).toHaveLength(8)
    expect(await listed('l5', 'l9')).toEqual([])
  })
})

describe('a list of leads', () => {
  beforeEach(async () => {
    for (const lead of [
      leadRecord('l1', { email: 'ana@example.com' }),
      leadRecord('l2', { status: 'new' }),
      // Received just before its neighbor, but added just after it.
      leadRecord('l4', { status: 'rejected', email: 'ana@example.com' }),
      leadRecord('l3', { email: 'ana@example.com', product_id: 'p2' }),
      leadRecord('l5', { email: 'ana@example.com.example' }),
    ]) {
      if (lead.status !== 'rejected') await tables.claimCustomer(lead.product_id, lead.email, lead.lead_id)
      await tables.addLead(lead)
    }
  })
  const ana = { email: 'ana@example.com' }

  it.each<[string, Partial<LeadFilter>, string[]]>([
    ['all', {}, ['l5', 'l4', 'l3', 'l2', 'l1']],
    ['a page', { limit: 2 }, ['l5', 'l4']],
    ['the page after it', { limit: 2, before: 'l4' }, ['l3', 'l2']],
    ['the last page', { limit: 2, before: 'l2' }, ['l1']],
    ['the page after the last', { limit: 2, before: 'l1' }, []],
    ['an empty page', { limit: 0 }, []],
    ['a status', { status: 'distributed' }, ['l5', 'l3', 'l1']],
    ['a page of a status', { status: 'distributed', before: 'l5', limit: 1 }, ['l3']],
    ['an address', ana, ['l4', 'l3', 'l1']],
    ['an address, from a rejected lead on', { ...ana, before: 'l4' }, ['l3', 'l1']],
    ['a page of an address', { ...ana, before: 'l3', limit: 1 }, ['l1']],
    ['an address and a status', { ...ana, status: 'rejected' }, ['l4']],
    ['the page after that', { ...ana, status: 'rejected', before: 'l4' }, []],
    ['an address without the status', { ...ana, status: 'new' }, []],
    ['no address', { email: '' }, []],
  ])('returns the newest first: %s', async (_title, filter, expected) => {
    expect(idsOf(await tables.listLeads({ limit: 99, ...filter }))).toEqual(expected)
  })
})

interface Customer {
  readonly last_name?: string
  readonly second_surname?: string
  readonly external_id?: string
}

function submissionOf({ external_id, ...names }: Customer): LeadRecord['submission'] {
  const personal_data = { first_name: 'Zoë', last_name: 'Gil', ...names }
  return { customer: { personal_data, external_id } } as LeadRecord['submission']
}

describe('a search of leads', () => {
  beforeEach(async () => {
    const add = (id: string, customer: Customer, more: Partial<LeadRecord>) =>
      tables.addLead(leadRecord(id, { ...more, submission: submissionOf(customer) }))
    await add('l1', { external_id: 'CRM-7' }, { email: 'ana_1@example.com', received_at: 10 })
    await add('l2', { last_name: 'Núñez' }, { email: 'anax1@example.com', received_at: 20, product_id: 'p2' })
    await add('l3', { external_id: 'x-crm-7' }, { email: '50%@example.com', received_at: 30, ...rejected })
    await add('l4', { second_surname: 'مُحمد' }, { email: 'ana_1@example.org', received_at: 40, status: 'new' })
  })
  const few = { rows: 2, reason: 'blacklisted' } as const

  it.each<[string, Partial<LeadSearch>, found: string[], next?: string]>([
    ['anything', {}, ['l4', 'l3', 'l2', 'l1']],
    ['a status', { status: 'distributed' }, ['l2', 'l1']],
    ['a reason', { reason: 'age_restriction' }, ['l3']],
    ['a reason that no lead has', { reason: 'blacklisted' }, []],
    ['a product', { product_id: 'p2' }, ['l2']],
    ['a time', { from: 20, to: 40 }, ['l3', 'l2']],
    ['all of these', { status: 'distributed', product_id: 'p1', customer: 'ana', to: 20 }, ['l1']],
    ['a part of an address, which has no wildcard', { customer: 'Ana_1' }, ['l4', 'l1']],
    ['a percent sign', { customer: '%' }, ['l3']],
    ['the end of an address', { customer: '@example.org' }, ['l4']],
    ['a name', { customer: 'zoe gil' }, ['l4', 'l3', 'l1']],
    ['a part of a name', { customer: 'NUÑ' }, ['l2']],
    ['a name in another script, without its vowel marks', { customer: 'محمد' }, ['l4']],
    ['a part of an external id', { customer: 'crm-7' }, ['l3', 'l1']],
    ['a whole external id', { external_id: 'crm-7' }, ['l1']],
    ['no part of an external id', { external_id: 'crm' }, []],
    ['no name and external id together', { customer: 'gil\ncrm' }, []],
    ['an address and a part of a name', { email: 'anax1@example.com', customer: 'núñez' }, ['l2']],
    ['an address', { email: 'ana_1@example.com' }, ['l1']],
    ['no whole address', { email: 'ana' }, []],
    ['nothing among the first rows', few, [], 'l3'],
    ['nothing among the next rows', { ...few, before: 'l3' }, [], 'l1'],
    ['nothing behind them', { ...few, before: 'l1' }, []],
    ['a page', { limit: 1, customer: 'ana_' }, ['l4'], 'l4'],
    ['the page after it', { limit: 1, customer: 'ana_', before: 'l4' }, ['l1'], 'l1'],
  ])('finds leads and returns where to continue: %s', async (_title, search, expected, next) => {
    const found = await tables.searchLeads({ rows: 99, limit: 99, ...search })
    expect({ ...found, leads: idsOf(found.leads) }).toEqual({ leads: expected, next })
  })
})

it('counts leads by time span, status and reason, among the newest', async () => {
  await tables.addLead(leadRecord('l1', { received_at: 99 }))
  await tables.addLead(leadRecord('l2', { received_at: 100 }))
  await tables.addLead(leadRecord('l4', { received_at: 109, ...rejected }))
  await tables.addLead(leadRecord('l3', { received_at: 108, ...rejected }))
  await tables.addLead(leadRecord('l5', { received_at: 109, status: 'rejected', rejection_reason: 'blacklisted' }))
  await tables.addLead(leadRecord('l6', { received_at: 110, status: 'new' }))
  await tables.addLead(leadRecord('l7', { received_at: 129, status: 'new' }))
  const count = async (rows: number) =>
    (await tables.countLeads({ from: 100, span: 10, rows })).toSorted(
      (one, two) => one.span - two.span || one.first - two.first || (one.reason ?? '').localeCompare(two.reason ?? ''),
    )
  const age = { span: 0, status: 'rejected', reason: 'age_restriction' }
  const newest = [
    { span: 0, status: 'rejected', reason: 'blacklisted', count: 1, first: 109 },
    { span: 1, status: 'new', count: 1, first: 110 },
    { span: 2, status: 'new', count: 1, first: 129 },
  ]
  const oldest = { span: 0, status: 'distributed', count: 1, first: 100 }
  expect(await count(99)).toStrictEqual([oldest, { ...age, count: 2, first: 108 }, ...newest])
  expect(await count(4)).toStrictEqual([{ ...age, count: 1, first: 109 }, ...newest])
})

describe('removeLeads', () => {
  beforeEach(async () => {
    for (const id of ['l1', 'l2', 'l3', 'l4']) {
      await tables.claimCustomer('p1', `${id}@example.com`, id)
      await tables.addLead(leadRecord(id, { received_at: 100 }))
      await tables.claimEvent(eventRecord(id, 'sale'))
      await tables.addCallback(callbackRecord(`c-${id}`, id))
      await tables.addReport(scheduledReport(`${id}/0`, { lead_id: id }))
    }
  })

  it('removes the oldest with their related records, through a lead, up to a limit', async () => {
    expect(await tables.removeLeads('l3', 2)).toBe(2)
    expect({
      leads: idsOf(await tables.listLeads({ limit: 9 })),
      customers: (await tables.listCustomers(9)).map(({ lead_id }) => lead_id),
      events: (await tables.listEvents('l1', 'l9')).map(({ lead_id }) => lead_id),
      callbacks: (await tables.listAllCallbacks({ limit: 9 })).map(({ lead_id }) => lead_id),
      reports: (await tables.listDueReports(100, 9)).map(({ lead_id }) => lead_id),
    }).toEqual({
      leads: ['l4', 'l3'],
      customers: ['l3', 'l4'],
      events: ['l3', 'l4'],
      callbacks: ['l4', 'l3'],
      reports: ['l3', 'l4'],
    })
    expect(await tables.removeLeads('l3', 2)).toBe(1)
    expect(await tables.removeLeads('l3', 2)).toBe(0)
    expect(idsOf(await tables.listLeads({ limit: 9 }))).toEqual(['l4'])
  })

  it('keeps a customer with a newer lead, or with a later refusal', async () => {
    for (const name of ['l4', 'late', 'early'])
      await tables.addLead(leadRecord(`l0 ${name}`, { email: `${name}@example.com`, received_at: 50 }))
    await tables.markRefused('p1', 'late@example.com', 51)
    await tables.markRefused('p1', 'early@example.com', 50)
    expect(await tables.removeLeads('l0 z', 9)).toBe(3)
    const found = ['l4', 'late', 'early'].map(name => tables.findCustomer('p1', `${name}@example.com`))
    expect(await Promise.all(found)).toEqual([{ lead_id: 'l4' }, { refused_at: 51 }, undefined])
  })
})
