import { pixelEvents, usageNameOf } from '@lead-distribution/contract'
import { isHolder, leadToken } from '@lead-distribution/engine'
import type { HttpResponse } from '@lead-distribution/http'
import type { Urls } from '../paths.ts'
import type { TenantRegistry } from '../tenants/tenant-registry.ts'

/** Text made safe for HTML, between tags or in a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** A page of the sandbox: no script, no style and no frame from elsewhere. */
function htmlPage(status: number, title: string, body: string): HttpResponse {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; color: #1c2733; }
  .note { background: #fff4d6; border: 1px solid #e8c766; border-radius: 6px; padding: .5rem .75rem; }
  button { font: inherit; padding: .4rem .8rem; margin: .25rem .25rem .25rem 0; cursor: pointer; }
  iframe { width: 100%; height: 5rem; border: 1px solid #ccd4dc; border-radius: 6px; }
  dt { font-weight: 600 } dd { margin: 0 0 .5rem; }
</style>
${body}
</html>`,
  }
}

/**
 * The page of a simulated advertiser that a customer is redirected to: the lead's figures, and a button for each event
 * that fires the real pixel. It works without a script: each button submits the postback URL as a GET form.
 */
export async function advertiserPage(
  registry: TenantRegistry,
  urls: Urls,
  leadId: string,
  advertiserId: string,
): Promise<HttpResponse> {
  const tenant = registry.findByLead(leadId)
  const lead = await tenant?.storage.transact(tables => tables.findLead(leadId))
  const advertiser = tenant?.account.advertisers.find(({ advertiser_id }) => advertiser_id === advertiserId)
  if (!tenant || !lead || !advertiser || !isHolder(lead.deliveries, advertiserId))
    return htmlPage(
      404,
      'No such application',
      '<h1>No such application</h1><p>No lead was distributed to this advertiser under this address.</p>',
    )
  const subject = { lead_id: leadId, advertiser_id: advertiserId, postback_secret: advertiser.postback_secret }
  const token = await leadToken(subject, tenant.account.settings.token_format)
  const { loan_amount, loan_term_months, loan_purpose } = lead.submission.product_data
  const buttons = pixelEvents.map(
    event =>
      `<button name="event" value="${event}">${event}${usageNameOf[event] === event ? '' : ` (${usageNameOf[event]})`}</button>`,
  )
  return htmlPage(
    200,
    `${advertiser.name} (simulated advertiser)`,
    `<h1>${escapeHtml(advertiser.name)}</h1>
<p class="note">A simulated advertiser of the sandbox. No real advertiser has seen this application.</p>
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
