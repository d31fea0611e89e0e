import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'
import { buildConsole, openConsole, overflowOf, screens, violationsOf } from '../console/console.fixture.ts'
import { Keyboard } from '../console/keyboard.ts'
import { hasBrowser, openPage, sharedBrowser } from './open-browser.ts'

let adapter: Adapter
let browser: Browser
beforeAll(async () => {
  if (!hasBrowser) return
  await buildConsole()
  adapter = await openExpressAdapter()
  browser = await sharedBrowser()
})
afterAll(() => adapter?.close())

/** Returns the number of operations and the title of an OpenAPI document. */
async function documentAt(path: string): Promise<{ title: string; operations: number }> {
  const { json } = await adapter.request('GET', `/_sandbox${path}`)
  const methods = [json.paths, json.webhooks ?? {}].flatMap(Object.values<object>).flatMap(item => Object.keys(item))
  return { title: json.info.title, operations: methods.filter(method => method !== 'parameters').length }
}

describe.skipIf(!hasBrowser)('the reference, in a browser', () => {
  it('shows both documents and calls the sandbox, and no other host', async () => {
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

  it('submits a lead of the demo account with "Try it out", and another one after a reload', async () => {
    const { page, complaints, elsewhere } = await openPage(browser, adapter.url)
    for (let nth = 0; nth < 2; nth++) {
      await page.goto(`${adapter.url}/_sandbox/docs`)
      const submit = page.locator('#operations-publishers-submitLead')
      await submit.locator('.opblock-summary-control').click()
      await submit.getByRole('button', { name: 'Try it out' }).click()
      await submit.getByRole('button', { name: 'Execute' }).click()
      await submit.locator('.live-responses-table').getByText('"distributed"').first().waitFor()
    }
    expect([complaints, elsewhere]).toEqual([[], []])
    await page.close()
  })
})

describe.skipIf(!hasBrowser)("the advertiser's page, in a browser", () => {
  it('fires the pixel by a button, shows the result, and links to the lead', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    const { redirect_url } = await tenant.lead(lead)
    const { page, complaints, elsewhere } = await openConsole(browser, adapter.url, screens[1])
    const keyboard = new Keyboard(page)
    await page.goto(redirect_url)
    expect(await violationsOf(page)).toEqual([])
    await keyboard.press('button', /^approved/)
    await page.getByText('The service recorded approved, and sends a callback to the publisher.').waitFor()
    expect(await violationsOf(page)).toEqual([])
    expect(await overflowOf(page)).toBe(0)
    expect((await tenant.lead(lead)).events).toMatchObject([{ event: 'approved', via: 'pixel' }])

    await keyboard.press('link', 'See this lead in the console')
    await page.getByText('The advertiser reported approved').waitFor()
    expect([complaints, elsewhere]).toEqual([[], []])
  })

  it('works without scripts', async () => {
    const tenant = await createTenant(adapter)
    const { redirect_url } = await tenant.lead(await tenant.distributedLead())
    const context = await browser.newContext({ javaScriptEnabled: false })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(redirect_url)
    await page.getByRole('button', { name: /^rejected/ }).click()
    await page.getByText('The service recorded rejected').waitFor()
  })
})

describe.skipIf(!hasBrowser)('a postback URL as an image, in a browser', () => {
  it('reports the event each time its page is shown', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    const image = `<img src="${adapter.url}${await tenant.postback(lead)}&amp;event=approved" alt="" hidden>`
    const site = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Thanks</title>${image}`)
    })
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      site.closeAllConnections()
      site.close()
    })
    const page = await browser.newPage()
    onTestFinished(() => page.close())

    const outcomes = async () => {
      const { requests } = (await tenant.control('GET', '/requests')).json
      return requests.filter(
        (call: { lead_id: string; method: string }) => call.lead_id === lead && call.method === 'GET',
      )
    }
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    await expect.poll(outcomes).toMatchObject([{ status: 200, outcome: 'received' }])
    await page.reload()
    await expect.poll(outcomes).toMatchObject([{ outcome: 'ignored' }, { outcome: 'received' }])
    expect((await tenant.lead(lead)).events).toMatchObject([{ event: 'approved', via: 'pixel' }])
  })
})
