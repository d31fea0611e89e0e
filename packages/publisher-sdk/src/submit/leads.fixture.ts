import type { LeadSubmission } from '@lead-distribution/contract'
import { type Reached, replies, type Step, startFaultServer } from '@lead-distribution/sdk-core/fault-server'
import { createPublisher, type PublisherChanges } from './publisher.ts'
import type { SubmitRun, SubmittedLead } from './submit-run.ts'

/** The smallest lead that the interpretation `prose` accepts. */
export function sampleLead(): LeadSubmission {
  const accepted = { accepted: true, accepted_at: '2026-01-01T09:30:00Z', version: '1' }
  return {
    product_id: '11111111-1111-4111-8111-111111111111',
    publisher_id: '22222222-2222-4222-8222-222222222222',
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'García' },
      contact: { email: { address: 'ana@example.com' } },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
    consents: {
      entries: [
        { type: 'terms', ...accepted },
        { type: 'privacy_policy', ...accepted },
      ],
    },
  }
}

/** A lead that carries its number, so that the server recognises it. */
export function numbered(number: number): LeadSubmission {
  const lead = sampleLead()
  return { ...lead, customer: { ...lead.customer, external_id: String(number) } }
}

/** Leads from 0, at hand. */
export const numberedLeads = (count: number) => Array.from({ length: count }, (_, number) => numbered(number))

/** Leads from 0, given one by one, which count how many were taken and how often they were closed. */
export function countedLeads(count: number) {
  const source = { taken: 0, closed: 0 }
  function* give() {
    try {
      for (let number = 0; number < count; number += 1) {
        source.taken += 1
        yield numbered(number)
      }
    } finally {
      source.closed += 1
    }
  }
  return { source, leads: give() }
}

/** The number of a lead that reached the server. */
const numberOf = ({ body }: Reached) => Number(JSON.parse(body).customer.external_id)

/** Answers a lead: `distributed` where nothing else is said. */
export const distributes: Step = replies(200, {
  lead_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  status: 'distributed',
  redirect_url: 'https://advertiser.example/apply',
})

/** A service on a real socket that counts how many leads are with it at once, and a publisher of it. */
export async function startService(
  answer: (number: number) => Step = () => distributes,
  options: PublisherChanges = { maxRetries: 0 },
) {
  const seen = { atOnce: 0, most: 0 }
  const { baseUrl, reached } = await startFaultServer((response, request) => {
    seen.atOnce += 1
    seen.most = Math.max(seen.most, seen.atOnce)
    response.once('close', () => {
      seen.atOnce -= 1
    })
    answer(numberOf(request))(response, request)
  })
  const publisher = createPublisher({ baseUrl, apiKey: 'sandbox_key', ...options })
  return { publisher, reached, seen }
}

/** Answers that wait until they are let go. */
export function holdAnswers(step: Step = distributes) {
  const waiting = new Map<number, () => void>()
  const holds = (number: number): Step => {
    return (response, request) => void waiting.set(number, () => step(response, request))
  }
  return { holds, waiting, letGo: (number: number) => waiting.get(number)?.() }
}

/** Reads a run to its end. */
export async function readAll(run: SubmitRun): Promise<SubmittedLead[]> {
  const read: SubmittedLead[] = []
  for await (const each of run) read.push(each)
  return read
}

/** The order and the state of what was read: `0 answered`. */
export const states = (read: readonly SubmittedLead[]) => read.map(({ index, state }) => `${index} ${state}`)
