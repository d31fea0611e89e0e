import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasBrowser, otherName, sharedBrowser } from '../browser/open-browser.ts'
import { buildConsole } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

describe.skipIf(!hasBrowser)('a page of another origin', () => {
  let browser: Browser
  let server: SandboxServer
  beforeAll(async () => {
    await buildConsole()
    browser = await sharedBrowser()
    server = await startServer({ port: 0, logLevel: 'silent' })
  })
  afterAll(() => server?.close())

  /** Opens a page of another server, under one of this machine's names, that links to the sandbox. */
  async function openForeignPage(hostname: string, links: Readonly<Record<string, string>> = {}) {
    const anchors = Object.entries(links).map(([name, url]) => `<a href="${url}">${name}</a>`)
    const foreign = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Foreign</title>${anchors.join(' ')}`)
    })
    await once(foreign.listen(0, '127.0.0.1'), 'listening')
    const page = await browser.newPage()
    onTestFinished(async () => {
      await page.close()
      foreign.closeAllConnections()
      foreign.close()
    })
    await page.goto(`http://${hostname}:${(foreign.address() as AddressInfo).port}/`)
    return page
  }

  it.each([
    ['on this machine', '127.0.0.1'],
    ['elsewhere', otherName],
  ])('%s opens no stream, and reads and changes nothing', async (_where, hostname) => {
    const watched = await startServer({ port: 0, logLevel: 'silent' })
    onTestFinished(() => watched.close())
    const page = await openForeignPage(hostname)
    const paths = ['v1/tenants', 'v1/events', 'v1/tenants/demo/events', 'metrics', 'openapi.json', 'inbox/demo']
    const urls = paths.map(path => `${watched.url}/_sandbox/${path}`)
    await page.evaluate(async urls => {
      for (const url of urls) {
        await fetch(url, { mode: 'no-cors' }).catch(() => undefined)
        await new Promise(resolve => {
          const image = new Image()
          image.onload = image.onerror = resolve
          image.src = `${url}?`
        })
      }
      await fetch(`${urls[0]}/demo/reset`, { method: 'POST', mode: 'no-cors' }).catch(() => undefined)
    }, urls)
    // The browser hides the responses from the page and from this test, but the sandbox knows them.
    const metrics = await (await fetch(`${watched.url}/_sandbox/metrics`)).text()
    const answered = metrics.split('\n').filter(line => /^http_server_request_duration_seconds_count\{/.test(line))
    expect(answered.length).toBe(paths.length + 1)
    expect(answered.filter(line => !/http_response_status_code="403",url_scheme="http"\} [12]$/.test(line))).toEqual([])
  })

  it("takes a customer to the advertiser's page, where the buttons work, and a developer to the console", async () => {
    const account = server.account()
    const { redirect_url } = (await submitLead(account, createTestLeads(account).distributed())) as {
      redirect_url?: string
    }
    const links = { Customer: redirect_url ?? '', Developer: `${server.url}/_sandbox/` }
    const customer = await openForeignPage(otherName, links)
    await customer.getByRole('link', { name: 'Customer' }).click()
    await customer.getByRole('button', { name: 'approved' }).click()
    await customer.getByText('The service recorded approved').waitFor()
    const developer = await openForeignPage(otherName, links)
    await developer.getByRole('link', { name: 'Developer' }).click()
    await developer.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  })
})
