import { requestsOf, type TestLead } from '@lead-distribution/contract/test-leads'
import type { Account } from '@lead-distribution/control-client'

/**
 * Submits a test lead like the publisher's application, independent of the page. Resolves to the body of the
 * last response.
 */
export async function submitLead(
  { base_url, publisher }: Account,
  lead: TestLead,
  signal: AbortSignal | null = null,
): Promise<{ lead_id: string; status: string }> {
  let reply: unknown
  for (const { headers, body } of requestsOf(lead)) {
    const init = { method: 'POST', headers: { apikey: publisher.api_key, ...headers }, body, signal }
    reply = await (await fetch(`${base_url}/lead`, init)).json()
  }
  return reply as { lead_id: string; status: string }
}
