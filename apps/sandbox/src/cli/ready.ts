import type { SandboxServer } from '../server.ts'

/** The first line on stdout for scripts. */
export function readyJson(server: SandboxServer): string {
  const tenant = server.account()
  return JSON.stringify({ ready: true, url: server.url, base_url: tenant.base_url, tenant })
}

/** What a person needs to submit a first lead: the base URL, the demo account, a line that works as it stands. */
export function readyText(server: SandboxServer): string {
  const { tenant, base_url, publisher, advertisers, products } = server.account()
  const product = products.find(({ active }) => active)
  return `
The sandbox is ready on ${server.url}
Nothing here can reach a real advertiser.

  base URL      ${base_url}
  tenant        ${tenant}
  publisher     ${publisher.publisher_id}
  apikey        ${publisher.api_key}
  product       ${product?.product_id}
${advertisers.map(({ name, advertiser_id, api_key }) => `  advertiser    ${advertiser_id}  apikey ${api_key}  (${name})`).join('\n')}

A first lead (a new e-mail address each time):

${firstLead(server)}

Stop with Ctrl-C.`
}

/** A curl line that submits a smallest valid lead of the demo account. */
function firstLead(server: SandboxServer): string {
  const { base_url, publisher, products } = server.account()
  const consent = (type: string) => ({ type, accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '1' })
  const lead = {
    product_id: products.find(({ active }) => active)?.product_id,
    publisher_id: publisher.publisher_id,
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'Prueba' },
      contact: { email: { address: "ana-'$(date +%s)'@example.com" } },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
    consents: { entries: [consent('terms'), consent('privacy_policy')] },
  }
  return `curl -sS ${base_url}/lead -H 'apikey: ${publisher.api_key}' -H 'content-type: application/json' -d '${JSON.stringify(lead)}'`
}
