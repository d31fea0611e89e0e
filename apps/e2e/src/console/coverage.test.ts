import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile, overflowOf, screens, violationsOf } from './console.fixture.ts'

const { createTenant, openPage } = openForFile()

describe.skipIf(!hasBrowser)('the map of the coverage', () => {
  it('makes everything happen by one click each, and leaves settings and faults as they were', async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage()
    await show(`${tenant.name}/coverage`)
    const cells = page.locator('.coverage-map > li')
    await cells.first().waitFor()
    const count = await cells.count()
    for (let nth = 0; nth < count; nth++) {
      const cell = cells.nth(nth)
      await cell.getByRole('button', { name: 'Make it happen' }).click()
      await cell.locator('.badge.good, .note.bad').first().waitFor()
      expect(await cell.getByRole('alert').allTextContents()).toEqual([])
      await expect.poll(() => cell.getByRole('button').isEnabled()).toBe(true)
    }
    await page.getByRole('heading', { name: `${count} of ${count} seen` }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    const { settings } = await tenant.show()
    expect([settings, (await tenant.faults.list()).faults]).toEqual([tenant.account.settings, []])
    // Each cell shows the call or the callback that it was last seen by.
    await expect.poll(() => cells.getByRole('link', { name: /, \d\d:\d\d:\d\d$/ }).count()).toBe(count)
  })

  it('leads to Submit with the test lead of an item, and is downloaded as JUnit', async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage(screens[1])
    await show(`${tenant.name}/coverage`)
    const link = page.getByRole('link', { name: 'Open in Submit blacklisted' })
    expect(await link.getAttribute('href')).toBe(`#/${tenant.name}/submit?lead=blacklisted-blacklisted`)
    expect([await violationsOf(page), await overflowOf(page)]).toEqual([[], 0])
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as JUnit' }).click()
    const downloaded = await downloading
    expect(downloaded.suggestedFilename()).toBe('coverage.xml')
    expect(await readFile(await downloaded.path(), 'utf8')).toContain('<testsuite name="reason"')
  })
})
