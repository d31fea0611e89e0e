import { readFile } from 'node:fs/promises'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { openForFile, overflowOf, screens, settled, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

type Tenant = Awaited<ReturnType<typeof createTenant>>

async function seenBy(tenant: Tenant, origin: 'integration' | 'console') {
  const { items } = await tenant.coverage({ origin })
  return items.flatMap(({ kind, name, count }) => (count > 0 ? [`${kind}/${name} ${count}`] : []))
}

describe.skipIf(!hasBrowser)('the map of the coverage', () => {
  it("counts the integration, and the console's own clicks separately", async () => {
    const tenant = await createTenant()
    await submitLead(tenant.account, createTestLeads(tenant.account).ageRestricted())
    const { page, show } = await openPage()
    await show(`${tenant.name}/submit`)
    await page.getByRole('button', { name: 'Send the lead' }).click()
    await page.getByRole('link', { name: 'Open the lead' }).click()
    await page.getByRole('button', { name: 'Registration' }).click()
    await expect
      .poll(() => seenBy(tenant, 'console'))
      .toEqual(['outcome/distributed 1', 'event/registration 1', 'callback/delivered 1'])
    expect(await seenBy(tenant, 'integration')).toEqual(['outcome/rejected 1', 'reason/age_restriction 1'])
    await show(`${tenant.name}/coverage`)
    await page.getByRole('heading', { name: /^2 of \d+ seen$/ }).waitFor()
    const cells = page.locator('.coverage-map > li')
    const ofDistributed = cells.filter({ hasText: /^Outcome distributed/ })
    expect(await ofDistributed.locator('.badge').textContent()).toBe('0×')
    await page.getByRole('button', { name: 'The console' }).click()
    await page.getByRole('heading', { name: /^3 of \d+ seen$/ }).waitFor()
    expect(await ofDistributed.getByRole('link', { name: /, \d\d:\d\d:\d\d$/ }).count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Download as JUnit' }).count()).toBe(0)
    expect(await violationsOf(page)).toEqual([])
  })

  it('links to Submit with a lead that reaches each outcome, reason or error', async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage()
    await show(`${tenant.name}/coverage`)
    const links = page.getByRole('link', { name: /^Open in Submit/ })
    await links.first().waitFor()
    const ways = await links.evaluateAll(all =>
      all.map(each => ({ path: each.getAttribute('href') ?? '', name: each.textContent?.split(' ').at(-1) ?? '' })),
    )
    for (const { path, name } of ways) {
      await page.goto('about:blank')
      await show(path.slice(2))
      await page.getByRole('button', { name: 'Send the lead' }).click()
      await page.getByRole('heading', { name: 'Decision' }).waitFor()
      await expect.poll(async () => (await seenBy(tenant, 'console')).join(), { message: name }).toContain(`/${name} `)
    }
    // Two errors belong to a status update, and one depends on a setting.
    const { items } = await tenant.coverage()
    const sent = items.filter(({ kind }) => kind !== 'event' && kind !== 'callback')
    expect(ways).toHaveLength(sent.length - 2)
    const { settings } = await tenant.show()
    expect([settings, (await tenant.faults.list()).faults]).toEqual([tenant.account.settings, []])
    expect(await seenBy(tenant, 'integration')).toEqual([])
  })

  it('links to Faults with a callback fault filled in, and to the leads that an event can be reported on', async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage(screens[1])
    await show(`${tenant.name}/coverage`)
    const onLead = page.getByRole('link', { name: 'Report it on a lead approved' })
    expect(await onLead.getAttribute('href')).toBe(`#/${tenant.name}/leads?status=distributed`)
    await page.getByRole('link', { name: 'Open in Faults failed' }).click()
    await page.getByRole('button', { name: 'Set the fault' }).click()
    await expect
      .poll(async () => (await tenant.faults.list()).faults)
      .toMatchObject([{ match: { operation: 'callback' }, effect: { drop: true }, times: 1 }])
    await settled(page)
    expect([await violationsOf(page), await overflowOf(page)]).toEqual([[], 0])
  })

  it('is downloaded as JUnit', async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage(screens[1])
    await show(`${tenant.name}/coverage`)
    await page.getByRole('link', { name: 'Open in Submit blacklisted' }).waitFor()
    expect([await violationsOf(page), await overflowOf(page)]).toEqual([[], 0])
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as JUnit' }).click()
    const downloaded = await downloading
    expect(downloaded.suggestedFilename()).toBe('coverage.xml')
    expect(await readFile(await downloaded.path(), 'utf8')).toContain('<testsuite name="reason"')
  })
})
