import { type FieldNotes, fieldNotes, serviceComponents } from '@lead-distribution/contract/openapi'
import { callback } from './callbacks/callback.shape.ts'
import { inboxMode } from './callbacks/inbox.shape.ts'
import { clockView } from './clock/clock.shape.ts'
import { faultView } from './faults/fault.shape.ts'
import { request } from './journal/request.shape.ts'
import { lead, trace } from './leads/lead.shape.ts'
import { snapshotView } from './snapshots/snapshot.shape.ts'
import { account } from './tenants/account.shape.ts'

const { LeadSubmission, Customer, PersonalData, Contact, EmailContact, PhoneContact } = serviceComponents
const { Address, Profile, FinancialInstrument, LoanProductData } = serviceComponents
const { Consents, ConsentEntry, ConsentMetadata, Tracking } = serviceComponents

/** A submission, which is explained as it would be sent, with all that it holds. */
const submission = {
  ...{ LeadSubmission, Customer, PersonalData, Contact, EmailContact, PhoneContact },
  ...{ Address, Profile, FinancialInstrument, LoanProductData },
  ...{ Consents, ConsentEntry, ConsentMetadata, Tracking },
}

/** The shapes of the control plane that have a name. */
export const controlComponents = {
  Account: account,
  Lead: lead,
  Trace: trace,
  Callback: callback,
  InboxMode: inboxMode,
  Clock: clockView,
  Fault: faultView,
  Request: request,
  Snapshot: snapshotView,
  ...submission,
}

const told = (description: string) => ({ description, fields: {} })

/** What the named shapes are. */
export const controlNotes: FieldNotes = {
  ...fieldNotes,
  Account: told('An account with the keys and secrets that its user integrates with.'),
  Lead: told('A lead with the trace of its decision, its deliveries, events and callbacks.'),
  Trace: told('Every check of a decision in its order, with what it looked at.'),
  Callback: told('A notification of the publisher, with every try of it.'),
  InboxMode: told("How a tenant's own inbox answers, and how many more times."),
  Clock: told("How a tenant's clock stands."),
  Fault: told('A fault, with how often it matched and acted.'),
  Request: told('A call of the service: what was decided, and nothing of what was sent.'),
  Snapshot: told('A snapshot by its name, with the real time of saving.'),
}
