import { basePath } from '@lead-distribution/contract'
import { referencePath, sandboxPath } from '@lead-distribution/simulator/paths'
import type { Account } from '../express/mount.ts'
import type { SandboxServer } from '../server.ts'

/** The first line on stdout for scripts. */
export function readyJson(server: SandboxServer): string {
  const { url } = server
  const { account: tenant, problem } = demoOf(server)
  return JSON.stringify({ ready: true, url, base_url: `${url}${basePath}`, tenant, problem })
}

/** The demo account; or why it is not there. */
function demoOf(server: SandboxServer): { account: Account; problem?: never } | { account?: never; problem: string } {
  try {
    return { account: server.account() }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

/** What a person needs to submit a first lead: the base URL, the demo account, a curl line that works as printed. */
export async function readyText(server: SandboxServer): Promise<string> {
  const { account, problem } = demoOf(server)
  if (!account)
    return `\nThe sandbox is ready on ${server.url}\n${problem} To reset it: lead-sandbox reset --sandbox ${server.url}\n\nStop with Ctrl-C.`
  const { tenant, base_url, publisher, advertisers, products } = account
  const product = products.find(({ active }) => active)
  return `
The sandbox is ready on ${server.url}
Nothing here can reach a real advertiser.

  console       ${server.url}${sandboxPath}/
  base URL      ${base_url}
  reference     ${server.url}${referencePath}
  tenant        ${tenant}
  publisher     ${publisher.publisher_id}
  apikey        ${publisher.api_key}
  product       ${product?.product_id}
${advertisers.map(({ name, advertiser_id, api_key }) => `  advertiser    ${advertiser_id}  apikey ${api_key}  (${name})`).join('\n')}

A first lead (a new e-mail address each time):

${await firstLead(server)}

Stop with Ctrl-C.`
}

/**
 * A curl line that submits a smallest valid lead of the demo account, or why its criteria, which can be changed, allow
 * none. The module that builds it is loaded once the server answers, so that it does not delay the start.
 */
async function firstLead(server: SandboxServer): Promise<string> {
  const { createTestLeads } = await import('@lead-distribution/test-leads')
  const account = server.account()
  const address = "ana-'$(date +%s)'@example.com"
  try {
    const lead = createTestLeads(account).distributed({ customer: { contact: { email: { address } } } })
    return `curl -sS ${account.base_url}/lead -H 'apikey: ${account.publisher.api_key}' -H 'content-type: application/json' -d '${JSON.stringify(lead)}'`
  } catch (error) {
    return (error as Error).message
  }
}
