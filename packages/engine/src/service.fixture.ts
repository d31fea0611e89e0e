import type { SettingsChange } from '@lead-distribution/contract'
import type { FindForcedOutcome } from './decide.ts'
import { accountWith, advertiser, noon, submission } from './facts.fixture.ts'
import type { CallbackRecord, CustomerRecord, EventRecord, LeadRecord } from './lead-record.ts'
import type { Storage, Tables } from './ports.ts'
import { createTokenReader, leadToken, reportEvent, reportStatus } from './report.ts'
import { createLeadReader, explainLead, submitLead } from './submit-lead.ts'

/** In-memory tables, without transactions. */
function tablesInMemory() {
  const customers = new Map<string, CustomerRecord>()
  const leads = new Map<string, LeadRecord>()
  const events: EventRecord[] = []
  const callbacks: CallbackRecord[] = []
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
    addCallback: async callback => void callbacks.push(callback),
  }
  return { tables, leads, events, customers, callbacks }
}

/** An advertiser that has the lead, and one that does not. */
export const [holder, other] = [advertiser(1), advertiser(2)]
/** The id of every lead. */
export const lead_id = '40000000-0000-4000-8000-000000000001'

/** A service with two advertisers. The first accepts every lead. */
export function service(settings: SettingsChange = {}) {
  const { tables, leads, events, customers, callbacks } = tablesInMemory()
  let transactions = 0
  let due = 0
  const account = accountWith(settings, { advertisers: [holder, other] })
  const storage: Storage = {
    transact(work) {
      transactions += 1
      return work(tables)
    },
    read: work => work(tables),
  }
  const ports = {
    storage,
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
    customers,
    callbacks,
    counts: () => ({ transactions, due }),
    submit: (body: unknown = submission(), findForcedOutcome?: FindForcedOutcome) =>
      submitLead(ports, account, { body, findForcedOutcome }),
    explain: () => explainLead(ports, account, { body: submission() }),
    report: (body: unknown, id = lead_id, by = holder) =>
      reportStatus(ports, account, { lead_id: id, advertiser_id: by.advertiser_id, body }),
    async pixel(given: Record<string, string[]>, by = holder) {
      const token = await leadToken({ ...by, lead_id }, account.settings.token_format)
      const parameters = Object.entries({ token: [token], ...given }).flatMap(([name, values]) =>
        values.map(value => [name, value] as const),
      )
      return reportEvent(ports, account, { lead_id, parameters })
    },
  }
}
