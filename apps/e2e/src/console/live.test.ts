import { connectSandbox, type Tenant } from '@lead-distribution/control-client'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import { createTestLeads } from '@lead-distribution/test-leads'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, openBrowser } from '../browser/open-browser.ts'
import { buildConsole, openConsole, screens, settled } from './open-console.ts'

let browser: Browser
let server: SandboxServer
beforeAll(async () => {
  if (!hasBrowser) return
  await buildConsole()
  browser = await openBrowser()
  server = await startServer({ port: 0, logLevel: 'silent' })
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** Submits a lead as an application does; resolves to its e-mail address. */
async function submitElsewhere({ account }: Tenant, tag: string): Promise<string> {
  const lead = createTestLeads(account, { tag }).distributed()
  const headers = { apikey: account.publisher.api_key, 'content-type': 'application/json' }
  await fetch(`${account.base_url}/lead`, { method: 'POST', headers, body: JSON.stringify(lead) })
  return lead.customer.contact.email.address
}

async function leadsOf(tenant: Tenant) {
  const { page } = await openConsole(browser, server.url, screens[0])
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  const open = () => page.goto(`${server.url}/_sandbox/#/${tenant.name}/leads`)
  return { page, asked, open }
}

describe.skipIf(!hasBrowser)('the page', () => {
  it('shows what happens elsewhere, and asks for nothing as long as nothing happens', async () => {
    const tenant = await (await connectSandbox(server.url)).createTenant()
    const { page, asked, open } = await leadsOf(tenant)
    await open()
    await page.getByRole('heading', { name: 'No leads yet' }).waitFor()
    await settled(page)
    const before = asked.length
    await new Promise(resolve => setTimeout(resolve, 2_500))
    expect(asked.slice(before)).toEqual([])
    await page.getByRole('link', { name: await submitElsewhere(tenant, 'first') }).waitFor()
    await settled(page)
    expect(asked.slice(before).filter(path => !path.endsWith('/leads'))).toEqual([])
  })

  it('says that it reconnects where it has no stream, reads what is new nevertheless, and goes on with one', async () => {
    const tenant = await (await connectSandbox(server.url)).createTenant()
    const { page, open } = await leadsOf(tenant)
    let isBroken = true
    await page.route(/\/events$/, route => (isBroken ? route.abort() : route.continue()))
    await open()
    await page.getByText('Reconnecting').waitFor()
    await page.getByRole('link', { name: await submitElsewhere(tenant, 'without') }).waitFor()
    isBroken = false
    await page.getByText('Reconnecting').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: await submitElsewhere(tenant, 'with') }).waitFor()
  })
})
