import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { faultPresets } from '@lead-distribution/simulator/effects'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../browser/open-browser.ts'
import { eachRow } from '../each-row.ts'
import { expectFlawless, openForFile, overflowOf, screens, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const { createTenant, openPage } = openForFile()

describe.skipIf(!hasBrowser)('the faults on the page', () => {
  it('are set with one click and triggered with another, for each preset', async () => {
    const { page, show } = await openPage()
    await eachRow(Object.values(faultPresets), async ({ label }) => {
      const tenant = await createTenant()
      await show(`${tenant.name}/faults`)
      await page.getByText('No fault is set').waitFor()
      await page.getByRole('button', { name: `Set ${label}`, exact: true }).click()
      await page.getByText(/^Acts on the next (submission|callback attempt)\.$/).waitFor()
      await page.getByRole('button', { name: 'Send a lead that hits it' }).click()
      await page.getByText('It acted.').waitFor()
      const links = await page.locator('.fault-hit').getByRole('link').all()
      const hrefs = await Promise.all(links.map(link => link.getAttribute('href')))
      const [{ effect, match } = expect.fail(), ...others] = (await tenant.faults.list()).faults
      expect(others).toEqual([])
      expect(hrefs[0]).toContain(`#/${tenant.name}/${match.operation === 'callback' ? 'callbacks' : 'requests'}/`)
      expect(hrefs.length).toBe('status' in effect && match.operation === 'submitLead' ? 1 : 2)
    })
  })

  it('show when they act next, and offer no lead once used up', async () => {
    const tenant = await createTenant()
    const match = { operation: 'submitLead' } as const
    await tenant.faults.add({ match, effect: { status: 503 }, after: 1, times: 1 })
    await tenant.faults.add({ match, effect: { status: 500 } })
    const { page, show } = await openPage(screens[1])
    await show(`${tenant.name}/faults`)
    await page.getByText('Acts after 1 more submission.').waitFor()
    await page.getByText('Acts on the next submission.').waitFor()
    expect([await violationsOf(page), await overflowOf(page)]).toEqual([[], 0])
    // The second fault acts on the request that the first one lets through.
    await page.getByRole('button', { name: 'Send a lead that hits it f1' }).click()
    await page.getByText('Used up.').waitFor()
    await page.getByText('503', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Send a lead that hits it' }).count()).toBe(1)
  })

  it('are not said to have acted because they did so earlier', async () => {
    const tenant = await createTenant()
    const match = { operation: 'submitLead' } as const
    // Acts on all but the first submission: nearly certain, but not certain enough to keep the other one from acting.
    await tenant.faults.add({ match, effect: { status: 500 }, after: 1, probability: 1 - 2 ** -30 })
    await tenant.faults.add({ match, effect: { status: 503 } })
    const { page, show } = await openPage()
    await show(`${tenant.name}/faults`)
    const hit = page.getByRole('button', { name: 'Send a lead that hits it f2' })
    await hit.click()
    await page.getByText('It acted.').waitFor()
    await hit.and(page.locator(':enabled')).click()
    await page.getByText(`The fault f2 of ${tenant.name} didn't act.`).waitFor()
    expect(await page.getByText('It acted.').count()).toBe(0)
  })

  it("accept a card's values, and every effect under Advanced", async () => {
    const tenant = await createTenant()
    const { page, show } = await openPage()
    await show(`${tenant.name}/faults`)
    const card = page.getByRole('form', { name: 'Rate limited' })
    await card.getByLabel('Times').fill('4')
    await card.getByLabel('Seconds').fill('9')
    await card.getByRole('button').click()
    await page.getByText('4 of 4 left.').waitFor()
    await page.getByText('Advanced').click()
    await page.getByLabel('Applies to').selectOption('callback')
    await page.getByLabel('Effect').selectOption('drop')
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Set the fault' }).click()
    await page.getByText('Acts on the next callback attempt.').waitFor()
    expect((await tenant.faults.list()).faults).toMatchObject([
      { effect: { status: 429, retry_after: 9 }, times: 4 },
      { match: { operation: 'callback' }, effect: { drop: true }, times: 1 },
    ])
  })

  it('are shown above every view and in the dry run while they may act, and can be cleared there', async () => {
    const tenant = await createTenant()
    await tenant.faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 }, times: 1 })
    const { page, show } = await openPage()
    const strip = page.getByText('1 active fault: Submit a lead')
    for (const view of ['leads', 'submit']) {
      await show(`${tenant.name}/${view}`)
      await strip.waitFor()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expectFlawless(page, view)
    }
    await page.getByText('The decision, before a fault acts.').waitFor()
    await page.getByText('Acts on the next submission.').waitFor()
    await submitLead(tenant.account, createTestLeads(tenant.account).distributed())
    // It acted once, and will not act again.
    await strip.waitFor({ state: 'detached' })
    await page.getByText('The response you would get now.').waitFor()

    await tenant.faults.add({ match: { operation: 'callback' }, effect: { drop: true } })
    await page.getByText('1 active fault: Callback').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
    await page.getByText('1 active fault: Callback').waitFor({ state: 'detached' })
    expect((await tenant.faults.list()).faults).toEqual([])
  })
})
