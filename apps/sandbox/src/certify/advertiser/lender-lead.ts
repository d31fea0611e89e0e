import { keyHeader } from '@lead-distribution/contract'
import { createTestLeads } from '@lead-distribution/test-leads'
import { send } from '../../cli/connection/send.ts'
import { CommandFault } from '../../cli/exit-codes.ts'
import type { CertifySandbox } from '../certify-sandbox.ts'

/** A lead as the lender is told of it. */
export interface LenderLead {
  readonly lead_id: string
  /** Holds its token: never printed. */
  readonly postback_url: string
  /** Where it is reported by a JSON call (Spec 4.2). */
  readonly status_url: string
  /** Euros. */
  readonly amount: number
  readonly term_months: number
}

/** Submits a lead that the first advertiser of the account takes, which is who the application is. */
export async function createLenderLead({ account, session }: CertifySandbox): Promise<LenderLead> {
  const { base_url, publisher, advertisers, ...more } = account()
  const lead = createTestLeads({ ...more, publisher, advertisers }).distributed()
  const headers = { [keyHeader]: publisher.api_key, 'content-type': 'application/json' }
  const reply = await send(new URL(`${base_url}/lead`), { method: 'POST', headers, body: JSON.stringify(lead) })
  const { lead_id } = reply as { lead_id: string }
  const { deliveries } = await session.ask<'showLead'>('GET', ['leads', lead_id])
  const own = deliveries.find(({ advertiser_id }) => advertiser_id === advertisers[0]?.advertiser_id)
  if (own?.postback_url === undefined)
    throw new CommandFault('The first advertiser of the account did not take the lead that was made for it.')
  const { loan_amount: amount, loan_term_months: term_months } = lead.product_data
  return { lead_id, postback_url: own.postback_url, status_url: statusUrl(base_url, lead_id), amount, term_months }
}

/** Where a lead is reported by a JSON call (Spec 4.2). */
export function statusUrl(baseUrl: string, leadId: string): string {
  return `${baseUrl}/lead/${leadId}/status`
}
