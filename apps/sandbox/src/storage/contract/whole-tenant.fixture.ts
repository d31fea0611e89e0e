import type { SandboxStorage } from '@lead-distribution/simulator'
import {
  callbackRecord,
  eventRecord,
  inboxEntry,
  leadRecord,
  requestRecord,
  scheduledReport,
} from './adapters.fixture.ts'

/** Gives a tenant some of everything, marked so that it is told apart from what another call gave. */
export async function fill(sandbox: SandboxStorage, tenant: string, mark: string): Promise<void> {
  await sandbox.of(tenant).transact(async tables => {
    await tables.claimCustomer('p1', `${mark}@example.com`, `${mark}-l1`)
    await tables.markRefused('p1', 'refused@example.com', mark.length)
    await tables.addLead(leadRecord(`${mark}-l1`))
    await tables.addLead(leadRecord(`${mark}-l2`, { status: 'rejected', rejection_reason: 'age_restriction' }))
    for (const event of ['sale', 'registration', 'approval'])
      await tables.claimEvent(eventRecord(`${mark}-l1`, event, { ref: mark }))
    await tables.addCallback(callbackRecord(`${mark}-c2`, `${mark}-l1`, { held: 'delay', resent_after: 1 }))
    await tables.addCallback(callbackRecord(`${mark}-c1`, `${mark}-l1`))
    await tables.addCallback(callbackRecord(`${mark}-c3`, `${mark}-l1`, { state: 'failed', due_at: undefined }))
    await tables.addReport(scheduledReport(`${mark}-r2`))
    await tables.addReport(scheduledReport(`${mark}-r1`))
    await tables.setChain('chain', mark.length)
    for (const received_at of [2, 1]) await tables.addInboxEntry(inboxEntry(received_at))
    const number = ((await tables.readRequests())[0]?.number ?? 0) + 1
    await tables.addRequests([requestRecord(number, { outcome: mark }), requestRecord(number + 1)])
    await tables.writeDocument('clock', { mode: 'frozen', now: mark.length })
    await tables.writeDocument('coverage', { [`mark/${mark}`]: 1 })
  })
}

/** All that a tenant has, as far as the marks are concerned; changes nothing. */
export function contentOf(sandbox: SandboxStorage, tenant: string, marks: readonly string[]) {
  return sandbox.of(tenant).transact(async tables => ({
    customers: await Promise.all([...marks, 'refused'].map(mark => tables.findCustomer('p1', `${mark}@example.com`))),
    leads: await tables.listLeads({ limit: 99 }),
    events: await Promise.all(marks.map(mark => tables.listEvents(`${mark}-l1`))),
    callbacks: await Promise.all(marks.map(mark => tables.listCallbacks(`${mark}-l1`))),
    due: [await tables.nextCallbackDue(), await tables.countPendingCallbacks()],
    reports: [await tables.listDueReports(Infinity, 99), await tables.nextReportDue(), await tables.countReports()],
    chain: await tables.readChain('chain'),
    inbox: await tables.listInbox(),
    requests: [await tables.readRequests(), await tables.readRequests(2)],
    documents: await tables.readDocuments(),
  }))
}
