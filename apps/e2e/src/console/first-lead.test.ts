import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, openBrowser } from '../browser/open-browser.ts'
import { buildConsole, openConsole, press, screens, violationsOf } from './open-console.ts'

let browser: Browser
beforeAll(async () => {
  if (!hasBrowser) return
  await buildConsole()
  browser = await openBrowser()
})
afterAll(() => browser?.close())

/** Runs a journey on a sandbox of its own. */
async function withServer(journey: (server: SandboxServer) => Promise<void>): Promise<void> {
  const server = await startServer({ port: 0, logLevel: 'silent' })
  try {
    await journey(server)
  } finally {
    await server.close()
  }
}

/** Waits for the heading of a view, and screens for what axe finds wrong with it. */
async function expectView(page: Page, heading: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  expect(await violationsOf(page)).toEqual([])
}

describe.skipIf(!hasBrowser)('a first lead, its reason and its callback, from the address of the server', () => {
  it.each(screens)('by keyboard alone: $name', screen =>
    withServer(async server => {
      const { page, complaints, elsewhere } = await openConsole(browser, server.url, screen)
      await page.goto(server.url)
      expect(new URL(page.url()).pathname).toBe('/_sandbox/')
      await expectView(page, 'Leads')

      await press(page, 'link', 'Submit a first lead')
      await page.getByRole('cell', { name: 'Distribution' }).waitFor()
      await expectView(page, 'Submit')
      await press(page, 'button', 'Send the lead')
      await press(page, 'link', /^See why/)

      await expectView(page, /^lead-.*@example\.com$/)
      await page.getByText('Passed the checks').waitFor()
      await page.getByText('Open the simulated advertiser').waitFor()
      await press(page, 'button', 'Loan issued')
      await page.getByText('The advertiser reported approved').waitFor()
      await page.getByText('Callback of loan_issued delivered').waitFor()
      expect(await violationsOf(page)).toEqual([])
      expect([complaints, elsewhere]).toEqual([[], []])
    }),
  )

  it('names the check that refused a lead, its threshold, and what to change', () =>
    withServer(async server => {
      const { page } = await openConsole(browser, server.url, screens[0])
      await page.goto(`${server.url}/_sandbox/#/demo/submit`)
      await page.getByLabel('Test lead').selectOption({ label: 'Income insufficient' })
      await page.getByRole('row', { name: /^Income 599.*600 Rejected/ }).waitFor()
      await page.getByRole('button', { name: 'Send the lead' }).click()
      await page.getByRole('link', { name: /^See why/ }).click()
      await page.getByText('Rejected: income insufficient').waitFor()
      await page.getByText(/599 against 600/).waitFor()
    }))

  it('goes to the field that is wrong', () =>
    withServer(async server => {
      const { page } = await openConsole(browser, server.url, screens[0])
      await page.goto(`${server.url}/_sandbox/#/demo/submit`)
      await page.getByLabel('Loan amount').fill('1')
      await page.getByRole('button', { name: 'product_data.loan_amount' }).click()
      const selected = await page.evaluate(() => String(document.getSelection()))
      expect(selected).toBe('"loan_amount"')
    }))
})
