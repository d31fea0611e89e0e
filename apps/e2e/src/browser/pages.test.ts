import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'
import { hasBrowser, openBrowser, openPage, otherName } from './open-browser.ts'

let adapter: Adapter
let browser: Browser
beforeAll(async () => {
  if (!hasBrowser) return
  adapter = await openExpressAdapter()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await adapter?.close()
})

/** How many operations a document of the sandbox holds, and what it is called. */
async function documentAt(path: string): Promise<{ title: string; operations: number }> {
  const { json } = await adapter.request('GET', `/_sandbox${path}`)
  const methods = Object.values<object>(json.paths).flatMap(item => Object.keys(item))
  return { title: json.info.title, operations: methods.filter(method => method !== 'parameters').length }
}

describe.skipIf(!hasBrowser)('the reference, in a browser', () => {
  it('shows both documents and calls the sandbox, without a request to anywhere else', async () => {
    const { page, complaints, elsewhere } = await openPage(browser, adapter.url)
    await page.goto(`${adapter.url}/_sandbox/docs`)

    const service = await documentAt('/service.openapi.json')
    await page.locator('.info .title', { hasText: service.title }).waitFor()
    expect(await page.locator('.opblock').count()).toBe(service.operations)
    await page.locator('#operations-publishers-submitLead .opblock-summary-control').click()
    await page.getByText('"loan_term_months"').first().waitFor()

    const control = await documentAt('/openapi.json')
    await page.locator('select').first().selectOption({ label: 'The control plane' })
    await page.locator('.info .title', { hasText: control.title }).waitFor()
    expect(await page.locator('.opblock').count()).toBe(control.operations)

    const list = page.locator('#operations-tenants-listTenants')
    await list.locator('.opblock-summary-control').click()
    await list.getByRole('button', { name: 'Try it out' }).click()
    await list.getByRole('button', { name: 'Execute' }).click()
    await list.locator('.live-responses-table').getByText('"demo"').first().waitFor()

    expect([complaints, elsewhere]).toEqual([[], []])
    await page.close()
  })

  it('asks nowhere else under another name of the machine either', async () => {
    const origin = adapter.url.replace('127.0.0.1', otherName)
    const { page, complaints, elsewhere } = await openPage(browser, origin)
    await page.goto(`${origin}/_sandbox/docs`)
    await page.locator('.opblock').first().waitFor()
    await page.waitForLoadState('networkidle')
    // Chromium says that it heeds this header over HTTPS and on this machine only.
    const others = complaints.filter(text => !text.startsWith('The Cross-Origin-Opener-Policy header'))
    expect([others, elsewhere]).toEqual([[], []])
    await page.close()
  })
})

describe.skipIf(!hasBrowser)("the lender's page, in a browser", () => {
  it('fires the pixel by a button, and shows its reply', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    const { redirect_url } = await tenant.lead(lead)
    const { page, complaints, elsewhere } = await openPage(browser, adapter.url)
    await page.goto(redirect_url)
    await page.getByRole('button', { name: /^approved/ }).click()
    await page.frameLocator('iframe[name=reply]').getByText('"received"').waitFor()

    expect((await tenant.lead(lead)).events).toMatchObject([{ event: 'approved', via: 'pixel' }])
    expect([complaints, elsewhere]).toEqual([[], []])
    await page.close()
  })
})
