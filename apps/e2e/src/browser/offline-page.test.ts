import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { OfflineStep } from './offline-page.ts'
import { type OfflineSite, openOfflineSite } from './offline-site.fixture.ts'
import { hasBrowser, openPage, sharedBrowser } from './open-browser.ts'

const sandboxOrigin = 'https://sandbox.leads.test'
const pageFiles = ['GET /apply.html', 'GET /mockServiceWorker.js', 'GET /page.js']

let site: OfflineSite
let browser: Browser
beforeAll(async () => {
  if (hasBrowser) browser = await sharedBrowser()
})

/** Opens the page and returns its controls. After the test, only page files may have been requested. */
async function openApplication(query = '') {
  const { page, complaints } = await openPage(browser, site.origin)
  const outside: string[] = []
  // Requests that the page's worker handles reach no server.
  page.on('response', response => {
    const { origin } = new URL(response.url())
    if (origin !== site.origin && !response.fromServiceWorker()) outside.push(response.url())
  })
  onTestFinished(() => page.close())
  await page.goto(`${site.origin}/apply.html${query}`)
  await page.locator('#ready').waitFor()
  return {
    page,
    press: (step: OfflineStep) => press(page, step),
    status: page.locator('#status'),
    complaints,
    outside,
  }
}

async function press(page: Page, step: OfflineStep) {
  await page.getByRole('button', { name: step, exact: true }).click()
  const output = page.locator(`output[data-step="${step}"]`)
  await output.filter({ hasText: '{' }).waitFor()
  return JSON.parse((await output.textContent()) ?? '')
}

/** Chromium reports each request without a response. Policy violations and script errors count separately. */
const more = (complaints: readonly string[]) => complaints.filter(text => !text.startsWith('Failed to load resource'))

describe.skipIf(!hasBrowser).each(['msw', 'msw2'] as const)('the sandbox in a page, with %s and no server', msw => {
  beforeAll(async () => {
    site = await openOfflineSite(sandboxOrigin, msw)
    return site.close
  })

  it('takes a lead from submission to verified callback, and shows its state', async () => {
    const { press, status, complaints, outside } = await openApplication()
    const submitted = await press('submit')
    expect(submitted).toMatchObject({ outcome: 'distributed' })
    expect(submitted.redirect_url).toMatch(`${sandboxOrigin}/`)

    expect(await press('show the image of the postback')).toEqual({ state: 'delivered', attempts: [200] })
    await status.filter({ hasText: 'approved by signature' }).waitFor()

    const { title, reports } = await press('visit the advertiser')
    expect([title, reports]).toEqual([
      expect.stringContaining('simulated advertiser'),
      [expect.stringContaining('recorded completed'), expect.stringContaining('ignored completed')],
    ])
    await status.filter({ hasText: 'completed by signature' }).waitFor()
    expect([complaints, outside]).toEqual([[], []])
  })
})

describe.skipIf(!hasBrowser)('the sandbox in a page', () => {
  beforeAll(async () => {
    site = await openOfflineSite(sandboxOrigin, 'msw')
    return site.close
  })

  it('returns the outcomes without a redirect', async () => {
    const { press, complaints } = await openApplication()
    expect(await press('submit a minor')).toEqual({ outcome: 'rejected', reason: 'age_restriction' })
    expect(await press('submit to no advertiser')).toEqual({ outcome: 'new' })
    expect(complaints).toEqual([])
  })

  it('loses a reply as a network would, and stores the lead', async () => {
    const { press, complaints } = await openApplication()
    expect(await press('lose a reply')).toEqual({
      first: { outcome: 'unknown' },
      leads: 1,
      second: { outcome: 'rejected', reason: 'customer_already_exists' },
    })
    expect(more(complaints)).toEqual([])
  })

  it('never responds to a request that should time out', async () => {
    const { press, complaints } = await openApplication()
    expect(await press('wait in vain')).toEqual({
      outOfTime: { outcome: 'unknown' },
      aborted: 'TimeoutError',
    })
    expect(await press('submit')).toMatchObject({ outcome: 'distributed' })
    expect(more(complaints)).toEqual([])
  })

  it('skips a day on a frozen clock', async () => {
    const { press, complaints } = await openApplication()
    expect(await press('sleep a day')).toEqual({
      passedMs: 86_400_000,
      state: 'delivered',
      attempts: [503, 503, 503, 200],
    })
    expect(complaints).toEqual([])
  })

  it('explains a decision without creating a lead, and restores a snapshot', async () => {
    const { press, complaints } = await openApplication()
    expect(await press('explain')).toEqual({ would: 200, check: 'income', leads: 0 })
    expect(await press('go back to a snapshot')).toEqual({
      leads: 2,
      restored: 1,
      again: { outcome: 'rejected', reason: 'customer_already_exists' },
    })
    expect(complaints).toEqual([])
  })

  it('starts fresh on each page load', async () => {
    const { page, press } = await openApplication()
    const first = await press('submit')
    expect(first).toMatchObject({ outcome: 'distributed' })
    expect(await press('explain')).toMatchObject({ leads: 1 })
    await page.reload()
    await page.locator('#ready').waitFor()
    expect(await press('explain')).toMatchObject({ leads: 0 })
    expect(await press('submit')).toMatchObject({ outcome: 'distributed' })
  })

  it('blocks requests without a handler', async () => {
    const { press, complaints, outside } = await openApplication()
    expect(await press('ask elsewhere')).toEqual({ status: 500 })
    expect(more(complaints)[0]).toContain('intercepted a request without a matching request handler')
    expect(outside).toEqual([])
  })

  it("also runs at the page's own origin, whose server gets only requests for page files", async () => {
    site.asked.length = 0
    const { press, complaints, outside } = await openApplication('?own-origin')
    expect(await press('submit')).toMatchObject({ outcome: 'distributed' })
    expect(await press('show the image of the postback')).toEqual({ state: 'delivered', attempts: [200] })
    expect(await press('visit the advertiser')).toMatchObject({
      title: expect.stringContaining('simulated advertiser'),
    })
    expect([...new Set(site.asked)].sort()).toEqual(pageFiles)
    expect([complaints, outside]).toEqual([[], []])
  })
})
