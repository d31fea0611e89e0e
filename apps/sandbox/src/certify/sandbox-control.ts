import { keyHeader, type LeadResponse, type LeadSubmission } from '@lead-distribution/contract'
import type { Callback } from '@lead-distribution/control-client'
import type { ControlInput } from '@lead-distribution/simulator'
import { createTestLeads } from '@lead-distribution/test-leads'
import { send } from '../cli/connection/send.ts'
import type { CertifySandbox } from './certify-sandbox.ts'

/** A callback of the sandbox with its tries. */
export type SentCallback = Callback

/** A fault of the sandbox: which calls it matches, what happens to them, and how often. */
export interface Fault {
  readonly match: { readonly operation: 'submitLead' | 'callback'; readonly scenario?: string }
  readonly effect: ControlInput<'addFault'>['effect']
  readonly times?: number | undefined
}

/** What a certification does with its sandbox, by the control plane and by the service as others reach it. */
export function createSandboxControl({ tenant, account }: Pick<CertifySandbox, 'tenant' | 'account'>) {
  return {
    /** Submits a lead that advertisers take, with the publisher's key; the application did not send it. */
    async submitTestLead(): Promise<{ readonly lead_id: string; readonly lead: LeadSubmission }> {
      const { base_url, publisher } = account()
      const lead = createTestLeads(account()).distributed()
      const headers = { [keyHeader]: publisher.api_key, 'content-type': 'application/json' }
      const response = await send(new URL(`${base_url}/lead`), { method: 'POST', headers, body: JSON.stringify(lead) })
      return { lead_id: (response as LeadResponse).lead_id ?? '', lead }
    },
    deliveries: async (lead_id: string) => (await tenant.leads.show(lead_id)).deliveries,
    /** Runs some work while a fault acts. */
    async withFault<Value>(fault: Fault, work: () => Promise<Value>): Promise<Value> {
      await tenant.faults.add(fault)
      try {
        return await work()
      } finally {
        await tenant.faults.clear()
      }
    },
    /** The simulated advertiser reports an event. */
    async trigger(lead_id: string, event: string, via: 'pixel' | 'body'): Promise<void> {
      await tenant.leads.trigger(lead_id, { event, via })
    },
    async callbacks(lead_id: string): Promise<readonly SentCallback[]> {
      return (await tenant.callbacks.list({ lead_id })).callbacks
    },
    async resend(callback_id: string): Promise<void> {
      await tenant.callbacks.resend(callback_id)
    },
    /** What the other interpretations of the specification do with the lead that was submitted last. */
    async portabilityWarnings() {
      const { requests } = await tenant.requests.list({ operation: 'submitLead', limit: 1 })
      return requests[0]?.warnings ?? []
    },
  }
}

/** What a certification does with its sandbox. */
export type SandboxControl = ReturnType<typeof createSandboxControl>
