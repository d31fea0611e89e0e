import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FrameLocator, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPage, sharedBrowser, type WatchedPage } from '../browser/open-browser.ts'
import { type BuiltSite, base } from './built-site.ts'

/** The examples that have a button, and a line that each prints. */
const examples: readonly (readonly [page: string, printed: string])[] = [
  ['playground/', 'The lead is distributed.'],
  ['concepts/callbacks/', 'approved, proved by url_secret'],
  ['guides/callbacks-on-functions/', '{ statusCode: 404 }'],
  ['guides/force-a-rejection/', 'duplicateSubmission duplicate_submission by http_200'],
  ['guides/migrate-from-fetch/', 'with the SDK: unknown'],
  ['guides/test-leads/', 'rejected age_restriction'],
]

/** Tests that a sandbox runs inside the pages of the site: in the playground, and below examples. */
export function testPlayground(site: () => BuiltSite): void {
  const open = async (path: string): Promise<WatchedPage> => {
    const watched = await openPage(await sharedBrowser(), new URL(site().url).origin)
    onTestFinished(() => watched.page.close())
    await watched.page.goto(site().url + path)
    return watched
  }
  const consoleIn = (page: Page) => page.frameLocator('iframe.playground')
  const view = (frame: FrameLocator, name: string) => frame.getByRole('link', { name, exact: true }).click()

  describe('the playground', () => {
    it('starts with leads, says why one was rejected, and submits another without a connection', async () => {
      const { page, complaints, elsewhere } = await open('playground/')
      const frame = consoleIn(page)
      await frame.getByText('Distributed', { exact: true }).last().waitFor()
      // Nothing but files of the site was loaded, and from now on nothing is.
      const asked: string[] = []
      page.on('request', request => asked.push(request.url()))
      await page.context().setOffline(true)

      await frame
        .getByRole('row', { name: /Income/ })
        .getByRole('link')
        .first()
        .click()
      await frame.getByRole('heading', { name: /^Rejected: income/i }).waitFor()
      await frame
        .getByText(/^Send a monthly_income of at least/)
        .first()
        .waitFor()
      await view(frame, 'Submit')
      await frame.getByRole('button', { name: 'Send the lead' }).click()
      await frame.getByRole('link', { name: 'Open the lead' }).click()
      await frame.getByText('Advertisers asked').waitFor()
      expect([asked, complaints, elsewhere]).toEqual([[], [], []])
    })

    it("opens the advertiser's page, retries its callback live, and moves the clock", async () => {
      const { page, complaints, elsewhere } = await open('playground/')
      const frame = consoleIn(page)
      const lead = frame
        .getByRole('row', { name: /Distributed/ })
        .getByRole('link')
        .first()
      await lead.waitFor()
      await view(frame, 'Clock')
      await frame.getByRole('button', { name: 'Resume' }).click()
      await view(frame, 'Callbacks')
      await frame.getByRole('button', { name: 'Receiver and inbox' }).click()
      await frame.getByLabel('How many times').first().fill('1')
      await frame.getByRole('button', { name: 'Make it fail' }).click()
      await frame.getByText('Failing', { exact: true }).waitFor()

      await view(frame, 'Leads')
      await lead.click()
      await frame.getByRole('button', { name: "Open the simulated advertiser's page" }).click()
      await frame.getByRole('button', { name: /^approved/ }).click()
      await frame.getByText('The service recorded approved').waitFor()
      await frame.locator('.advertiser-page').getByRole('button').first().focus()
      // The second attempt comes seconds later, and only the stream of events says so.
      await frame.getByText(/^Callback for \w+ failed/).waitFor()
      await frame.getByText(/^Callback for \w+ delivered, attempt 2/).waitFor()
      // The page behind the dialog has changed meanwhile.
      expect(await frame.locator('.advertiser-page :focus').count()).toBe(1)
      await page.keyboard.press('Escape')

      await view(frame, 'Clock')
      const shown = frame.locator('.clock time')
      const day = async () => Date.parse((await shown.getAttribute('datetime')) ?? '') / 86_400_000
      const before = await day()
      await frame.getByRole('button', { name: '+ 30 days' }).click()
      await expect.poll(async () => Math.floor((await day()) - before)).toBe(30)
      expect([complaints, elsewhere]).toEqual([[], []])
    })

    it('takes the whole window and gives it back, with the same sandbox', async () => {
      const { page, complaints } = await open('playground/')
      const frame = consoleIn(page)
      await view(frame, 'Submit')
      const width = async () => (await page.locator('iframe.playground').boundingBox())?.width ?? 0
      const window = page.viewportSize()?.width ?? 0
      expect(await width()).toBeLessThan(window - 100)
      await page.getByRole('button', { name: 'Use the whole window' }).click()
      expect(await width()).toBeGreaterThan(window - 50)
      await frame.getByRole('button', { name: 'Send the lead' }).waitFor()
      await page.keyboard.press('Escape')
      expect(await width()).toBeLessThan(window - 100)
      // The page has no link to itself.
      expect(await page.locator('main').getByRole('link', { name: 'documentation site' }).count()).toBe(0)
      expect(complaints).toEqual([])
    })

    it('leads to the pages of this site, and follows its theme', async () => {
      const { page } = await open('playground/')
      const frame = consoleIn(page)
      // The sandbox is still starting: the choice holds for the console, too, which appears once that is done.
      await page.getByLabel('Select theme').first().selectOption('dark')
      await frame.getByRole('row', { name: /Income/ }).waitFor()
      await frame.locator('html[data-theme="dark"]').waitFor()
      await page.getByLabel('Select theme').first().selectOption('light')
      await frame.locator('html[data-theme="light"]').waitFor()
      const reference = await frame.getByRole('link', { name: 'Reference' }).getAttribute('href')
      expect(reference).toBe(`${site().url}http/service/`)
      await frame
        .getByRole('row', { name: /Income/ })
        .getByRole('link')
        .first()
        .click()
      const [opened] = await Promise.all([
        page.context().waitForEvent('page'),
        frame.getByRole('link', { name: 'About this reason' }).click(),
      ])
      expect(opened.url()).toBe(`${site().url}errors/rejections/income_insufficient/`)
    })
  })

  describe('an example with a button', () => {
    it('is listed above', () => {
      const pages = readdirSync(site().folder, { recursive: true, encoding: 'utf8' })
        .filter(path => path.endsWith('index.html'))
        .filter(path => readFileSync(join(site().folder, path), 'utf8').includes('<run-example'))
      expect(pages.map(path => path.replace('index.html', '')).sort()).toEqual(examples.map(([path]) => path).sort())
    })

    it.each(examples)('runs on %s', async (path, printed) => {
      const { page, complaints, elsewhere } = await open(path)
      const all = await page.locator('run-example').all()
      expect(all.length).toBeGreaterThan(0)
      for (const example of all) {
        await example.getByRole('button', { name: 'Run' }).click()
        await example.getByRole('button', { name: 'Run again' }).waitFor()
      }
      const output = (await page.getByRole('status', { name: 'Output' }).allTextContents()).join('')
      expect(output).toContain(printed)
      expect(output).not.toContain('The example failed.')
      expect([complaints, elsewhere]).toEqual([[], []])
    })

    it('loads what it needs when its button is pressed', async () => {
      const { page } = await openPage(await sharedBrowser(), new URL(site().url).origin)
      onTestFinished(() => page.close())
      const asked: string[] = []
      page.on('request', request => asked.push(new URL(request.url()).pathname))
      const ofPlayground = () => asked.filter(path => path.startsWith(`${base}playground/`))
      await page.goto(`${site().url}guides/test-leads/`, { waitUntil: 'networkidle' })
      expect(ofPlayground()).toEqual([])
      await page.getByRole('button', { name: 'Run' }).first().click()
      await page.getByRole('button', { name: 'Run again' }).waitFor()
      expect(ofPlayground()).not.toEqual([])
    })
  })
}
