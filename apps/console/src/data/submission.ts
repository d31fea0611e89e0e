import type { TestRequest } from '@lead-distribution/test-leads'
import { readField } from './draft.ts'
import { emailOf, type Lead } from './lead-timeline.ts'
import { type ServiceResponse, sandbox, submitToService } from './sandbox.ts'

/** The result of a submission. */
export interface Submission {
  /** Undefined where none arrived. */
  readonly response?: ServiceResponse | undefined
  /** The lead that an attempt created whose connection was cut before its response arrived. */
  readonly cut?: Lead | undefined
}

/** How many calls the page looks at for the one that was cut. */
const callsLookedAt = 50

/**
 * Submits a lead. A browser resends a request by itself where a connection that it used before is cut: the response is then
 * that of the second attempt, and the journal has the first one.
 * @throws Error where no response arrived and no lead was created.
 */
export async function submit(tenant: string, request: TestRequest, apiKey: string): Promise<Submission> {
  const { requests, leads } = sandbox.control(tenant)
  const calls = async (limit: number) => (await requests.list({ operation: 'submitLead', limit })).requests
  const before = numberOf((await calls(1))[0])
  const [sent] = await Promise.allSettled([submitToService(request, apiKey)])
  const email = String(readField(request.body, 'customer.contact.email.address')).toLowerCase()
  for (const call of await calls(callsLookedAt)) {
    if (numberOf(call) <= before || call.broken !== 'cut' || call.lead_id === undefined) continue
    const cut = await leads.show(call.lead_id)
    if (emailOf(cut)?.toLowerCase() === email)
      return { cut, response: sent.status === 'fulfilled' ? sent.value : undefined }
  }
  if (sent.status === 'rejected') throw sent.reason
  return { response: sent.value }
}

const numberOf = (call: { readonly request_id: string } | undefined) => Number(call?.request_id.slice(1) ?? 0)
