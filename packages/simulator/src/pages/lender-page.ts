import { pixelEvents, usageNameOf } from '@lead-distribution/contract'
import { acceptedOf, leadToken } from '@lead-distribution/engine'
import type { HttpResponse } from '@lead-distribution/http'
import type { TenantRegistry } from '../tenants/tenant-registry.ts'
import { escapeHtml, htmlReply } from './html.ts'
import type { Urls } from './urls.ts'

/**
 * The page of a simulated lender that a customer is redirected to: the lead's figures, and a button for each event
 * that fires the real pixel. It works without a script: each button submits the postback URL as a GET form.
 */
export async function lenderPage(
  registry: TenantRegistry,
  urls: Urls,
  leadId: string,
  advertiserId: string,
): Promise<HttpResponse> {
  const tenant = await registry.findByLead(leadId)
  const lead = await tenant?.ports.storage.transact(tables => tables.findLead(leadId))
  const advertiser = tenant?.account.advertisers.find(({ advertiser_id }) => advertiser_id === advertiserId)
  const accepted = acceptedOf(lead?.deliveries ?? []).some(({ advertiser_id }) => advertiser_id === advertiserId)
  if (!tenant || !lead || !advertiser || !accepted)
    return htmlReply(
      404,
      'No such application',
      '<h1>No such application</h1><p>No lead was distributed to this lender under this address.</p>',
    )
  const subject = { lead_id: leadId, advertiser_id: advertiserId, postback_secret: advertiser.postback_secret }
  const token = await leadToken(subject, tenant.account.settings.token_format)
  const { loan_amount, loan_term_months, loan_purpose } = lead.submission.product_data
  const buttons = pixelEvents.map(
    event =>
      `<button name="event" value="${event}">${event}${usageNameOf[event] === event ? '' : ` (${usageNameOf[event]})`}</button>`,
  )
  return htmlReply(
    200,
    `${advertiser.name} (simulated lender)`,
    `<h1>${escapeHtml(advertiser.name)}</h1>
<p class="note">A simulated lender of the sandbox. No real lender has seen this application.</p>
<dl>
  <dt>Lead</dt><dd>${escapeHtml(leadId)}</dd>
  <dt>Applied for</dt><dd>${loan_amount} euros over ${loan_term_months} months, ${escapeHtml(loan_purpose)}</dd>
</dl>
<h2>Report what happens</h2>
<p>Each button fires the real pixel with this lead's token; the reply shows below.</p>
<form method="get" action="${escapeHtml(urls.pixel(leadId))}" target="reply">
  <input type="hidden" name="token" value="${escapeHtml(token)}">
  ${buttons.join('\n  ')}
</form>
<iframe name="reply" title="The reply of the pixel"></iframe>`,
  )
}
