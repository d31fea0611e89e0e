import { pixelEvents, usageNameOf } from '@lead-distribution/contract'
import { type EventRecord, isHolder, type LeadRecord, leadToken } from '@lead-distribution/engine'
import { type HttpRequest, type HttpResponse, parseBody, readBytes, writeResponse } from '@lead-distribution/http'
import { type CallService, firePixel } from '../advertisers/advertisers.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import { sandboxPath, type Urls } from '../urls.ts'
import { type Html, html, htmlPage } from './html-page.ts'

export interface AdvertiserPageOptions {
  readonly registry: TenantRegistry
  readonly urls: Urls
  readonly call: CallService
  /** True if the console is served. The page then links to it. */
  readonly hasConsole: boolean
}

/** The subject of the page: an advertiser and a lead that was distributed to it. */
type Subject = Readonly<Record<'lead_id' | 'advertiser_id', string>>

/**
 * The simulated advertiser's page, which a customer is redirected to: the lead's figures, and a button for each event.
 * Works without a script: each button posts the form to the page, which fires the real pixel and shows the result.
 */
export async function advertiserPage(
  options: AdvertiserPageOptions,
  { lead_id, advertiser_id }: Subject,
  request: HttpRequest,
): Promise<HttpResponse> {
  const tenant = options.registry.findByLead(lead_id)
  const advertiser = tenant?.account.advertisers.find(other => other.advertiser_id === advertiser_id)
  const lead = await tenant?.storage.read(tables => tables.findLead(lead_id))
  if (!tenant || !lead || !advertiser || !isHolder(lead.deliveries, advertiser_id)) return noSuchPage()
  const form = request.method === 'POST' ? await readForm(request) : undefined
  if (form && !(form instanceof URLSearchParams)) return form
  const report = form && (await reportByForm(options, lead_id, form))
  const { postback_secret, name } = advertiser
  const events = await tenant.storage.read(tables => tables.listEvents(lead_id))
  const token = await leadToken({ lead_id, advertiser_id, postback_secret }, tenant.account.settings.token_format)
  const parts = [
    html`<header>
<h1>${name}</h1>
<p class="muted">A simulated advertiser of the sandbox. No real advertiser has seen this application.</p>
</header>`,
    report,
    applicationCard(lead),
    reportCard(token),
    reportedCard(events),
    options.hasConsole ? consoleLink(options.urls, tenant.record.tenant, lead_id) : undefined,
  ]
  return htmlPage(200, `${name} (simulated advertiser)`, html`${parts.filter(part => part !== undefined)}`)
}

const noSuchPage = () =>
  htmlPage(
    404,
    'No such application',
    html`<h1>No such application</h1>
<p>No lead was distributed to this advertiser at this URL. Open the <code>redirect_url</code> of a distributed lead.</p>`,
  )

/** Ample for a token and an event. */
const maxFormBytes = 4_096
const tooLarge = `Submit the form on this page: at most ${maxFormBytes} bytes`

/** Reads the posted form, or returns the response to a request without a readable one. */
async function readForm({ body }: HttpRequest): Promise<URLSearchParams | HttpResponse> {
  const bytes = await readBytes(body, maxFormBytes)
  if (bytes === 'too-large') return htmlPage(413, tooLarge, html`<h1>${tooLarge}</h1>`)
  return 'status' in bytes ? writeResponse(bytes) : new URLSearchParams(new TextDecoder().decode(bytes))
}

/** Fires the pixel with the form's fields, and shows the service's response. */
async function reportByForm({ urls, call }: AdvertiserPageOptions, lead_id: string, form: URLSearchParams) {
  const response = await firePixel(urls, call, lead_id, form)
  const { tone, text } = outcomeOf(form.get('event') ?? '', response)
  const answer = response && !response.broken ? html`\n<pre>${response.status} ${response.body}</pre>` : undefined
  return html`<section class="note ${tone}" role="status"><p>${text}</p>${answer}</section>`
}

function outcomeOf(event: string, response: HttpResponse | undefined): { tone: string; text: string } {
  if (!response || response.broken)
    return { tone: 'bad', text: `The service sent no response to ${event}: a fault broke the connection.` }
  const { status, error, message } = Object(parseBody(response))
  if (status === 'received')
    return { tone: 'good', text: `The service recorded ${event}, and sends a callback to the publisher.` }
  if (status === 'ignored')
    return { tone: '', text: `The service ignored ${event}: it was already reported, so no second callback is sent.` }
  if (error === undefined)
    return { tone: 'bad', text: `The service responded to ${event} with a body that is not JSON.` }
  return { tone: 'bad', text: `The service refused ${event} with ${response.status} ${error}. ${message}` }
}

function applicationCard({ lead_id, submission }: LeadRecord): Html {
  const { loan_amount, loan_term_months, loan_purpose } = submission.product_data
  return html`<section class="card">
<h2>The application</h2>
<dl>
<dt>Applied for</dt><dd>${loan_amount} euros over ${loan_term_months} months, ${loan_purpose.replaceAll('_', ' ')}</dd>
<dt>Lead</dt><dd><code>${lead_id}</code></dd>
</dl>
</section>`
}

function reportCard(token: string): Html {
  const buttons = pixelEvents.map(event => {
    const usageName = usageNameOf[event]
    return html`<button name="event" value="${event}">${event}${usageName === event ? '' : ` (${usageName})`}</button>`
  })
  return html`<section class="card">
<h2>Report what happens</h2>
<p class="muted">Each button fires this lead's postback URL, as the advertiser's back end does during the life of the loan.</p>
<form method="post">
<input type="hidden" name="token" value="${token}">
${buttons}
</form>
</section>`
}

function reportedCard(events: readonly EventRecord[]): Html | undefined {
  if (events.length === 0) return undefined
  const items = events.map(
    ({ event, recorded_at }) =>
      html`<li>${event} <span class="muted">${new Date(recorded_at).toISOString().slice(0, 19).replace('T', ' ')} UTC</span></li>`,
  )
  return html`<section class="card">
<h2>Reported so far</h2>
<ul>
${items}
</ul>
</section>`
}

function consoleLink({ origin }: Urls, tenant: string, lead_id: string): Html {
  const url = `${origin}${sandboxPath}/#/${tenant}/leads/${lead_id}`
  return html`<p><a href="${url}">See this lead in the console</a>: the reasons for its decision, and its callbacks.</p>`
}
