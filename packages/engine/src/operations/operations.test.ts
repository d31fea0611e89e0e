import { describe, expect, it } from 'vitest'
import { createTokenReader, leadToken } from '../access/token-reader.ts'
import { createLeadReader } from '../admission/read-lead.ts'
import { accountWith, advertiser, noon, submission } from '../facts.fixture.ts'
import type { CustomerRecord, EventRecord, LeadRecord } from '../lead-record.ts'
import type { SettingsOverrides } from '../settings.ts'
import type { Tables } from '../storage.ts'
import { reportEvent } from './report-event.ts'
import { reportStatus } from './report-status.ts'
import { explainLead, submitLead } from './submit-lead.ts'

/** Tables in memory, without transactions. */
function tablesInMemory() {
  const customers = new Map<string, CustomerRecord>()
  const leads = new Map<string, LeadRecord>()
  const events: EventRecord[] = []
  const tables: Tables = {
    findCustomer: async (product, email) => customers.get(`${product} ${email}`),
    async claimCustomer(product, email, lead_id) {
      if (customers.get(`${product} ${email}`)?.lead_id !== undefined) return false
      customers.set(`${product} ${email}`, { lead_id })
      return true
    },
    markRefused: async (product, email, refused_at) => void customers.set(`${product} ${email}`, { refused_at }),
    addLead: async lead => void leads.set(lead.lead_id, lead),
    findLead: async id => leads.get(id),
    async claimEvent(event) {
      if (events.some(each => each.event === event.event)) return false
      events.push(event)
      return true
    },
    addCallback: async () => undefined,
  }
  return { tables, leads, events }
}

const [holder, other] = [advertiser(1), advertiser(2)]
const lead_id = '40000000-0000-4000-8000-000000000001'

/** A service with two advertisers, of which the first accepts every lead. */
function service(settings: SettingsOverrides = {}) {
  const { tables, leads, events } = tablesInMemory()
  let transactions = 0
  let due = 0
  const account = accountWith(settings, { advertisers: [holder, other] })
  const ports = {
    storage: {
      transact<Result>(work: (tables: Tables) => Promise<Result>) {
        transactions += 1
        return work(tables)
      },
    },
    clock: { now: () => noon },
    ids: { lead: () => lead_id, callback: () => 'c1' },
    network: { offer: async () => ({ decision: 'accepted' as const, redirect_url: 'https://advertiser.test/' }) },
    readLead: createLeadReader(),
    readToken: createTokenReader(),
    onCallbackDue: () => {
      due += 1
    },
  }
  return {
    leads,
    events,
    counts: () => ({ transactions, due }),
    submit: (body: unknown = submission()) => submitLead(ports, account, { body }),
    explain: () => explainLead(ports, account, { body: submission() }),
    report: (body: unknown, id = lead_id, by = holder) =>
      reportStatus(ports, account, { lead_id: id, advertiser_id: by.advertiser_id, body }),
    async pixel(given: Record<string, string[]>, by = holder) {
      const token = await leadToken({ ...by, lead_id }, account.settings.token_format)
      const parameters = Object.entries({ token: [token], ...given }).flatMap(([name, values]) =>
        values.map(value => [name, value] as const),
      )
      return reportEvent(ports, account, { lead_id: lead_id.toUpperCase(), parameters })
    },
  }
}

describe('submitting', () => {
  it('creates a lead in one transaction', async () => {
    const { submit, leads, counts } = service()
    expect(await submit()).toMatchObject({ status: 'distributed', lead_id, redirect_url: 'https://advertiser.test/' })
    expect([leads.size, counts().transactions]).toEqual([1, 1])
  })

  it('refuses what is no lead, or of another publisher, without a transaction', async () => {
    const { submit, counts } = service()
    expect(await submit({})).toMatchObject({ status: 'refused', error: 'validation_error', issues: expect.any(Array) })
    const foreign = { ...submission(), publisher_id: lead_id }
    expect(await submit(foreign)).toMatchObject({ status: 'refused', error: 'publisher_mismatch' })
    expect(counts().transactions).toBe(0)
  })

  it('rejects the second lead of a customer without a lead', async () => {
    const { submit } = service()
    await submit()
    const second = await submit()
    expect(second).toMatchObject({ status: 'rejected', reason: 'customer_already_exists' })
    expect(second).not.toHaveProperty('lead_id')
  })

  it('is explained without storing anything', async () => {
    const { explain, submit, leads } = service()
    expect(await explain()).toMatchObject({ status: 'distributed' })
    expect(leads.size).toBe(0)
    expect(await submit()).toMatchObject({ status: 'distributed' })
  })
})

describe('reporting by body', () => {
  it('records an event once, whatever its name', async () => {
    const { submit, report, counts } = service()
    await submit()
    expect(await report({ status: 'approved' })).toMatchObject({ status: 'received', event: 'approved' })
    expect(await report({ status: 'loan_issued' })).toMatchObject({
      ...{ status: 'ignored', event: 'approved', reported_as: 'loan_issued' },
    })
    expect(counts().due).toBe(1)
  })

  it('refuses the advertiser of another lead as an unknown lead', async () => {
    const { submit, report } = service()
    await submit()
    for (const result of [
      await report({ status: 'approved' }, lead_id, other),
      await report({ status: 'approved' }, other.advertiser_id),
    ])
      expect(result).toMatchObject({ status: 'refused', error: 'not_found' })
  })

  it('refuses every wrong field at once', async () => {
    const { report } = service()
    const { issues = [] } = (await report({ status: 'funded', metadata: { amount: 'x' } }, 'no-uuid')) as {
      issues?: { field: string }[]
    }
    expect(issues.map(({ field }) => field)).toEqual(['lead_id', 'status', 'metadata.amount'])
  })

  it.each([
    ['known', 'funded', 'accept'],
    ['any', 'funded', 'validation_error'],
  ] as const)('warns under the vocabulary %s of the status %s: %s', async (status_vocabulary, status, would) => {
    const { submit, report } = service({ status_vocabulary })
    await submit()
    expect((await report({ status })).warnings).toMatchObject([{ switch: 'status_vocabulary', would }])
    expect((await report({ status: 'approved' })).warnings).toEqual([])
    expect((await report({ status, metadata: 1 })).warnings).toEqual([])
  })
})

describe('reporting by the pixel', () => {
  it('records an event in one transaction', async () => {
    const { submit, pixel, events, counts } = service()
    await submit()
    const before = counts().transactions
    expect(await pixel({ event: ['loan_issued'], ref: ['r1'] })).toEqual({
      status: 'received',
      lead_id,
      event: 'approved',
    })
    expect(await pixel({ event: ['approved'] })).toEqual({ status: 'ignored', lead_id, event: 'approved' })
    expect([events, counts()]).toMatchObject([[{ via: 'pixel', ref: 'r1' }], { transactions: before + 2, due: 1 }])
  })

  it('refuses a wrong token without a transaction, and before anything else', async () => {
    const { submit, pixel, counts } = service()
    await submit()
    const before = counts().transactions
    for (const token of [[], ['x'], ['']])
      expect(await pixel({ token, event: ['nonsense'] })).toEqual({ status: 'refused', error: 'unauthorized' })
    expect(counts().transactions).toBe(before)
  })

  it('refuses the token of an advertiser that does not have the lead, and of an unknown lead, alike', async () => {
    const { submit, pixel } = service()
    expect(await pixel({ event: ['approved'] })).toEqual({ status: 'refused', error: 'unauthorized' })
    await submit()
    expect(await pixel({ event: ['nonsense'] }, other)).toEqual({ status: 'refused', error: 'unauthorized' })
  })

  it('refuses wrong and repeated parameters after the token', async () => {
    const { submit, pixel } = service()
    await submit()
    expect(await pixel({ event: ['converted'], ref: ['1', '2'] })).toMatchObject({
      ...{ status: 'refused', error: 'validation_error', lead_id },
      issues: [{ field: 'ref', issue: 'must be given once' }, { field: 'event' }],
    })
  })
})
