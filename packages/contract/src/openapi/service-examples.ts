import type { LeadResponse } from '../lead/lead-response.ts'
import type { LeadSubmission } from '../lead/lead-submission.ts'
import type { EventReply } from '../status/event-report.ts'
import type { StatusReply, StatusUpdate } from '../status/status-update.ts'
import type { OperationExamples } from './operation-object.ts'

const lead_id = '7d9b0a52-6c1e-4a0f-8b39-5a4c7e2f9d10'

const smallestLead: LeadSubmission = {
  product_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  publisher_id: 'b1a6d9f0-7e42-4d6b-8a5c-0c9e4f3d2b17',
  customer: {
    personal_data: { first_name: 'Ana', last_name: 'Prueba' },
    contact: { email: { address: 'ana@example.com' } },
  },
  product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
  consents: {
    entries: [
      { type: 'terms', accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '3' },
      { type: 'privacy_policy', accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '5' },
    ],
  },
}

const leadReplies = {
  distributed: { lead_id, status: 'distributed', redirect_url: 'https://lender.example/apply/7d9b0a52' },
  new: { lead_id, status: 'new' },
  rejected: { status: 'rejected', rejection_reason: 'customer_already_exists' },
} satisfies Record<string, LeadResponse>

const update: StatusUpdate = { status: 'loan_issued', metadata: { amount: 5000, term_months: 24 } }
const updateReply: StatusReply = { lead_id, status: 'loan_issued' }
const eventReply: EventReply = { lead_id, event: 'approved', status: 'received' }

/** Examples of the service's requests and replies; a test holds them against the shapes. */
export const serviceExamples = {
  submitLead: { request: { 'smallest lead': smallestLead }, reply: leadReplies },
  reportStatus: { request: { 'loan issued': update }, reply: { 'loan issued': updateReply } },
  reportEvent: { reply: { received: eventReply, ignored: { ...eventReply, status: 'ignored' } } },
} as const satisfies Record<string, OperationExamples>
