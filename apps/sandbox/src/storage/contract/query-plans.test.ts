import type { SandboxTables } from '@lead-distribution/simulator'
import {
  callbackRecord,
  eventRecord,
  inboxEntry,
  leadRecord,
  requestRecord,
  scheduledReport,
} from '@lead-distribution/simulator/records.fixture'
import { describe, expect, it } from 'vitest'
import { adapters, twoTenants } from './storage.fixture.ts'

const lease = { due_by: 100, now: 0, until: 1_000, limit: 9 }
const outcome = { callback_id: 'c1', url: 'x:', attempt: { at: 1, ms: 1 }, state: 'delivered' } as const
const { number: _, ...request } = requestRecord(0)
const search = { rows: 9, limit: 9 }
const rejection = {
  at: 1,
  product_id: 'p1',
  reason: 'invalid_product',
  email: 'ana@example.com',
  loan_amount: 500,
  loan_term_months: 3,
} as const

type Call = (tables: SandboxTables) => unknown

/** Calls of each table method with every kind of selection, which together send all its statements. */
const calls: Record<keyof SandboxTables, readonly Call[]> = {
  claimCustomer: [tables => tables.claimCustomer('p1', 'ana@example.com', 'l1')],
  findCustomer: [tables => tables.findCustomer('p1', 'ana@example.com')],
  markRefused: [tables => tables.markRefused('p1', 'ana@example.com', 1)],
  listCustomers: [
    tables => tables.listCustomers(9),
    tables => tables.listCustomers(9, { email: 'ana@example.com', product_id: 'p1' }),
  ],
  addLead: [tables => tables.addLead(leadRecord('l1'))],
  findLead: [tables => tables.findLead('l1')],
  recordBackendResponse: [tables => tables.recordBackendResponse('l1', 'a1', { at: 1, status: 200, ms: 1 })],
  newestIds: [tables => tables.newestIds()],
  listLeads: [
    {},
    { before: 'l2' },
    { status: 'new' as const },
    { status: 'new' as const, before: 'l2' },
    { email: 'ana@example.com' },
    { email: 'ana@example.com', before: 'l2' },
  ].map(filter => tables => tables.listLeads({ limit: 9, ...filter })),
  searchLeads: [
    search,
    { ...search, before: 'l2', from: 1, to: 2, email: 'ana@example.com' },
    {
      ...search,
      status: 'new' as const,
      reason: 'blacklisted' as const,
      product_id: 'p1',
      customer: 'ana',
      external_id: 'crm-1',
    },
  ].map(filter => tables => tables.searchLeads(filter)),
  countLeads: [tables => tables.countLeads({ from: 100, span: 10, rows: 9 })],
  claimEvent: [tables => tables.claimEvent(eventRecord('l1', 'sale'))],
  listEvents: [tables => tables.listEvents('l1'), tables => tables.listEvents('l1', 'l2')],
  addCallback: [tables => tables.addCallback(callbackRecord('c1', 'l1'))],
  findCallback: [tables => tables.findCallback('c1')],
  listCallbacks: [tables => tables.listCallbacks('l1'), tables => tables.listCallbacks('l1', 'l2')],
  listAllCallbacks: [
    {},
    { before: 'c2' },
    { lead_id: 'l1' },
    { state: 'pending' as const },
    { state: 'pending' as const, before: 'c2' },
  ].map(filter => tables => tables.listAllCallbacks({ limit: 9, ...filter })),
  listPendingCallbacks: [tables => tables.listPendingCallbacks(9)],
  countCallbacks: [tables => tables.countCallbacks({ from: 100, rows: 9 })],
  countPendingCallbacks: [tables => tables.countPendingCallbacks()],
  leaseDueCallbacks: [tables => tables.leaseDueCallbacks(lease)],
  postponeCallback: [
    tables => tables.postponeCallback({ callback_id: 'c1', due_at: 9, held: 'reorder' }, { leased_until: 1_000 }),
  ],
  releaseReordered: [tables => tables.releaseReordered('l1', 5)],
  requeueCallback: [tables => tables.requeueCallback('c1', 5)],
  recordAttempt: [
    tables => tables.leaseDueCallbacks(lease),
    tables => tables.recordAttempt(outcome, { leased_until: 1_000 }),
  ],
  nextCallbackDue: [tables => tables.nextCallbackDue(), tables => tables.nextCallbackDue(9)],
  limitRetries: [tables => tables.limitRetries(9)],
  bringForward: [tables => tables.bringForward(1, 9)],
  addReport: [tables => tables.addReport(scheduledReport('l1/0'))],
  listDueReports: [tables => tables.listDueReports(100, 9)],
  nextReportDue: [tables => tables.nextReportDue(), tables => tables.nextReportDue(9)],
  countReports: [tables => tables.countReports()],
  removeReport: [tables => tables.removeReport('l1/0')],
  readChain: [tables => tables.readChain('chain')],
  setChain: [tables => tables.setChain('chain', 1)],
  listChains: [tables => tables.listChains(9)],
  readDocuments: [tables => tables.readDocuments()],
  writeDocument: [tables => tables.writeDocument('clock', { mode: 'frozen', now: 1 })],
  addStreamEvents: [tables => tables.addStreamEvents([{ type: 'lead' }])],
  addInboxEntry: [tables => tables.addInboxEntry(inboxEntry(1))],
  listInbox: [tables => tables.listInbox({ limit: 9 }), tables => tables.listInbox({ before: 9, limit: 9 })],
  trimInbox: [tables => tables.trimInbox(1)],
  addRequests: [tables => tables.addRequests([requestRecord(1)])],
  appendRequests: [
    tables => tables.appendRequests([request], 2, [{ request: { state: 'whole', text: 'x' } }], [rejection]),
  ],
  addRejection: [tables => tables.addRejection({ number: 1, ...rejection })],
  readRejections: [tables => tables.readRejections(undefined, 9), tables => tables.readRejections(9, 9)],
  findOldestRequest: [tables => tables.findOldestRequest(1)],
  hasAppended: [tables => tables.hasAppended([request], 20_000)],
  readRequests: [tables => tables.readRequests(), tables => tables.readRequests(3, 2)],
  readBodies: [tables => tables.readBodies(2)],
  trimBodies: [tables => tables.trimBodies(1)],
  trimRequests: [tables => tables.trimRequests(1)],
  addCoverage: [tables => tables.addCoverage({ 'reason/a': 1 })],
  readCoverage: [tables => tables.readCoverage()],
  removeLeads: [tables => tables.removeLeads('l9', 9)],
}

// The statements are checked when the test ends.
describe.each(Object.entries(adapters).filter(([name]) => name !== 'memory'))(
  '%s finds rows by indexes',
  (_name, open) => {
    it('for every method of the tables', async () => {
      const [storage] = await twoTenants(open)
      for (const call of Object.values(calls).flat())
        await expect(storage.transact(async tables => void (await call(tables)))).resolves.toBeUndefined()
    })
  },
)
