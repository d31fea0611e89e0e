import type { Settings } from '@lead-distribution/contract'
import {
  callbackUrl,
  type FieldDescription,
  keyHeader,
  leadFields,
  pixelEvents,
  rejectionReasons,
  rejectionStatements,
  usageNameOf,
} from '@lead-distribution/contract'
import { fieldNotes, serviceDocument, serviceErrors } from '@lead-distribution/contract/openapi'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { HttpResponse } from '@lead-distribution/http'
import type { Tenant } from '../tenants/runtime.ts'
import type { Urls } from '../urls.ts'
import { Html, html, htmlPage } from './html-page.ts'

// Everything here is from the account or from the contract's own tables. It goes to other companies, so it holds no key, no
// secret, no callback URL and no entry of the blacklist.

const keyPlaceholder = 'YOUR_API_KEY'
const leadPlaceholder = 'LEAD_ID'

/** The page that a new partner integrates with a tenant by. It needs no other file, and can be printed. */
export async function handoverPage(tenant: Tenant, urls: Urls): Promise<HttpResponse> {
  const { record, account } = tenant
  const { settings } = account
  const parts = [
    html`<header>
<h1>Integrate with ${record.tenant}</h1>
<p class="muted">A test account of a lead distribution sandbox. No lead that you send here reaches a real advertiser.</p>
</header>`,
    card(
      'Before you start',
      html`<dl>
<dt>Base URL</dt><dd><code>${urls.base}</code></dd>
<dt>Publisher</dt><dd><code>${record.publisher.publisher_id}</code></dd>
<dt>Key</dt><dd>You get it separately. Send it as the header <code>${keyHeader}</code>, never in a URL.</dd>
<dt>Bodies</dt><dd>JSON, with <code>content-type: application/json</code>. Amounts are whole euros.</dd>
</dl>`,
    ),
    productCard(record.products),
    firstLeadCard(tenant, urls.base),
    responseCard(),
    fieldCard(settings),
    callbackCard(settings),
    advertiserCard(tenant, urls),
    card(
      'Errors',
      html`<p>The body has <code>error</code>, <code>message</code>, and <code>details</code> where fields are wrong. After a
<code>5xx</code> or a lost response the lead may have been stored. Don't submit it again blindly: the repeat of a stored lead is
rejected.</p>
${table(
  ['status', 'error', 'meaning'],
  serviceErrors.map(({ status, code, meaning }) => [html`${status}`, codeOf(code), prose(meaning)]),
)}`,
    ),
  ]
  return htmlPage(200, `Integrate with ${record.tenant}`, html`${parts}`, handoverStyle)
}

const card = (title: string, content: Html) => html`<section class="card">
<h2>${title}</h2>
${content}
</section>`

const codeOf = (text: string | number) => html`<code>${text}</code>`

/** Text whose parts between backquotes are code. */
function prose(text: string): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : codeOf(part)))
  return new Html(parts.map(part => part.text).join(''))
}

function table(head: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="wide"><table>
<thead><tr>${head.map(name => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows.map(cells => html`<tr>${cells.map(cell => html`<td>${cell}</td>`)}</tr>`)}
</tbody>
</table></div>`
}

/** A row for each criterion, a column for each product or advertiser. */
function criteriaTable(parties: readonly { readonly name: string; readonly id: string; readonly criteria: object }[]) {
  const names = [...new Set(parties.flatMap(({ criteria }) => Object.keys(criteria)))]
  return table(
    ['', ...parties.map(({ name }) => name)],
    [
      [html`id`, ...parties.map(({ id }) => codeOf(id))],
      ...names.map(name => [
        html`${name.replaceAll('_', ' ')}`,
        ...parties.map(({ criteria }) => html`${valueText(Reflect.get(criteria, name))}`),
      ]),
    ],
  )
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  if (typeof value !== 'object' || value === null) return value === undefined ? '' : String(value)
  const { min, max } = value as { min?: number; max?: number }
  return `${min} to ${max}`
}

function productCard(products: Tenant['record']['products']): Html {
  const shown = products.map(({ product_id: id, name, active, criteria }) => ({
    id,
    name: active ? name : `${name} (switched off)`,
    criteria,
  }))
  return card('Products and their criteria', criteriaTable(shown))
}

/** The smallest lead that an advertiser of the account takes, submitted in three languages. */
function firstLeadCard({ record, account, clock }: Tenant, base: string): Html {
  const title = 'A first lead'
  let lead: { customer: { contact: { email: { address: string } } } }
  try {
    lead = createTestLeads(
      { ...record, settings: account.settings },
      { tag: 'first', today: new Date(clock.now()) },
    ).distributed()
  } catch (error) {
    return card(title, html`<p>${(error as Error).message}</p>`)
  }
  const mark = 'ADDRESS'
  lead.customer.contact.email.address = mark
  const json = JSON.stringify(lead, null, 2)
  const url = `${base}/lead`
  const [before = '', after = ''] = json.split(mark)
  const shell = (text: string) => text.replaceAll("'", `'\\''`)
  const php = (text: string) => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  return card(
    title,
    html`<p>Replace <code>${keyPlaceholder}</code>. Each run is a new customer: one e-mail address is one customer of a product.</p>
<h3>curl</h3>
<pre id="curl">curl -sS '${shell(url)}' \\
  -H '${keyHeader}: ${keyPlaceholder}' -H 'content-type: application/json' \\
  -d '${shell(before)}ana-'$(date +%s)'@example.com${shell(after)}'</pre>
<h3>TypeScript</h3>
<pre id="typescript">const lead = ${before}ana@example.com${after}
lead.customer.contact.email.address = \`ana-\${Date.now()}@example.com\`

const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: { ${keyHeader}: '${keyPlaceholder}', 'content-type': 'application/json' },
  body: JSON.stringify(lead),
  signal: AbortSignal.timeout(10_000),
})
console.log(response.status, await response.json())</pre>
<h3>PHP</h3>
<pre id="php">&lt;?php
$lead = json_decode('${php(before)}ana@example.com${php(after)}', true);
$lead['customer']['contact']['email']['address'] = 'ana-' . time() . '@example.com';
echo file_get_contents('${php(url)}', false, stream_context_create(['http' =&gt; [
    'method' =&gt; 'POST',
    'header' =&gt; ['${keyHeader}: ${keyPlaceholder}', 'content-type: application/json'],
    'content' =&gt; json_encode($lead),
    'timeout' =&gt; 10,
    'follow_location' =&gt; 0,
    'ignore_errors' =&gt; true,
]])), "\\n";</pre>`,
  )
}

function responseCard(): Html {
  return card(
    'The response',
    html`<p>A decision is a <code>200</code>, also a rejection.</p>
<dl>
<dt>distributed</dt><dd>An advertiser takes the customer. Redirect them to the <code>redirect_url</code>, unchanged.</dd>
<dt>new</dt><dd>The lead is stored, and no advertiser takes it now. Events may follow.</dd>
<dt>rejected</dt><dd>The <code>rejection_reason</code> says why. There is no redirect.</dd>
</dl>
${table(
  ['rejection reason', 'meaning'],
  rejectionReasons.map(reason => [codeOf(reason), html`${rejectionStatements[`2.12/${reason}`]}`]),
)}`,
  )
}

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

function fieldCard(settings: Settings): Html {
  const { schemas } = serviceDocument([]).components as { schemas: Readonly<Record<string, Schema>> }
  const resolve = (schema: Schema = {}): Schema => ({ ...schemas[schema.$ref?.split('/').at(-1) ?? ''], ...schema })
  const rowsOf = (field: FieldDescription, schema: Schema, path: string): (readonly Html[])[] => {
    const { optional, fields = {}, items } = field
    const mayBeMissing = optional === true || (optional !== undefined && settings[optional] === 'optional')
    const own = [
      codeOf(path),
      html`${mayBeMissing ? '' : 'yes'}`,
      html`${typeText(field)}`,
      prose(schema.description ?? ''),
    ]
    return [
      ...(path === '' || (field.type === 'object' && !mayBeMissing) ? [] : [own]),
      ...Object.entries(fields).flatMap(([name, each]) =>
        rowsOf(each, resolve(schema.properties?.[name]), path === '' ? name : `${path}.${name}`),
      ),
      ...Object.entries(items?.fields ?? {}).flatMap(([name, each]) =>
        rowsOf(each, resolve(resolve(schema.items).properties?.[name]), `${path}[].${name}`),
      ),
    ]
  }
  const lead = resolve({ $ref: 'LeadSubmission' })
  return card(
    'The fields of a lead',
    html`<p>A required field of an object that may be missing is required where the object is there.</p>
${table(['field', 'required', 'value', 'meaning'], rowsOf(leadFields, lead, ''))}`,
  )
}

function typeText({ type, values, min, max, format, filled, nullable, maxItems }: FieldDescription): string {
  const text =
    type === 'enum'
      ? (values ?? []).join(', ')
      : type === 'list'
        ? `a list of at most ${maxItems}`
        : [
            format ? `text: ${format.name}` : type,
            filled && 'not empty',
            min !== undefined && max !== undefined && `${min} to ${max}`,
          ]
            .filter(part => part)
            .join(', ')
  return nullable ? `${text}, or null` : text
}

function callbackCard({ callback_event_names, callback_retries, callback_signature }: Settings): Html {
  const nameOf = (event: (typeof pixelEvents)[number]) =>
    callback_event_names === 'usage' ? usageNameOf[event] : event
  const example = callbackUrl('https://your-site.example/callbacks/SECRET', leadPlaceholder, nameOf('approved'))
  return card(
    'Callbacks to the publisher',
    html`<p>Give the operator a URL that nobody can guess. The service sends a <code>GET</code> to it for each event of your leads:</p>
<pre>GET ${example}</pre>
<p>Respond with <code>2xx</code>. ${
      callback_retries.length === 0
        ? 'A callback that fails is not sent again.'
        : `A callback that fails is sent again after ${callback_retries.join(', ')}: expect each event more than once.`
    } ${
      callback_signature === 'none'
        ? 'Callbacks are not signed.'
        : 'Callbacks are signed after Standard Webhooks: verify the headers webhook-id, webhook-timestamp and webhook-signature.'
    }</p>
${table(
  ['event', 'in a callback'],
  pixelEvents.map(event => [
    codeOf(event),
    callback_event_names === 'as_reported' ? html`the name that the advertiser reported` : codeOf(nameOf(event)),
  ]),
)}`,
  )
}

function advertiserCard({ record, account }: Tenant, urls: Urls): Html {
  const { hash, joiner, encoding } = account.settings.token_format
  const url = urls.pixel(leadPlaceholder)
  const { ref } = fieldNotes.EventReport.fields
  return card(
    'Advertisers: report what happens to a lead',
    html`<p>Each lead comes with a postback URL. Keep it as text, append <code>&amp;event=</code> with an event of the table above
and, if you like, <code>&amp;ref=</code> with your own reference, and send a <code>GET</code> without a key.</p>
<pre>${url}?token=TOKEN&amp;event=registration&amp;ref=YOUR-REFERENCE</pre>
<p><code>ref</code>: ${prose(ref)}</p>
<p>The token is the HMAC-${hash} of the lead's id, <code>${joiner}</code> and your id, keyed with the postback secret that you
share with the operator, in ${encoding}. A repeated report is <code>ignored</code>, which does no harm. Or report with your key,
which you get separately:</p>
<pre>curl -sS '${url}' -X ${account.settings.status_methods[0] ?? 'POST'} \\
  -H '${keyHeader}: ${keyPlaceholder}' -H 'content-type: application/json' -d '{"status":"${usageNameOf.approved}"}'</pre>
${criteriaTable(record.advertisers.map(({ advertiser_id: id, name, criteria }) => ({ id, name, criteria })))}`,
  )
}

const handoverStyle = `
main { max-width: 960px; }
h3 { margin: 0; font-size: 13px; font-weight: 620; color: var(--muted); }
dt { font-weight: 560; }
dd { min-width: 0; overflow-wrap: anywhere; }
pre { padding: 12px; border-radius: var(--radius); background: var(--sunken); user-select: all; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 13px; line-height: 1.45; }
th, td { padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--muted); font-weight: 560; }
td:last-child { min-width: 14em; }
td code { white-space: nowrap; }
@media (max-width: 560px) {
  main { padding: 24px 12px 40px; }
  dl { grid-template-columns: minmax(0, 1fr); }
  dd { margin-bottom: 6px; }
  td code { white-space: normal; }
  td:first-child { min-width: 8.5em; }
  td:last-child { min-width: 9em; }
}
@media print {
  :root { color-scheme: light; }
  body { background: #fff; font-size: 11px; }
  main { max-width: none; padding: 0; }
  .card { padding: 0 0 8px; border: 0; border-radius: 0; }
  .wide { overflow: visible; }
  td code { white-space: normal; }
  td:first-child { min-width: 12em; }
  tr, pre { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
`
