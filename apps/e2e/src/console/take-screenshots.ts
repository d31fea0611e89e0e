// Takes the images of the READMEs and guides from the real page, into `docs/images`: `npm run screenshots`. Look at each
// before you commit it. Prints how large each is, and how soon each page painted first. `npm run screenshots -- --all DIR`
// takes every view at three widths, light and dark, into a folder that isn't committed.
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { connectSandbox } from '@lead-distribution/control-client'
import { startServer } from '@lead-distribution/sandbox'
import type { Browser, Page } from 'playwright-core'
import { root } from '../architecture/sources.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { submitLead } from './submit-lead.ts'

const { all } = parseArgs({ options: { all: { type: 'string' } } }).values
const folder = all === undefined ? join(root, 'docs/images') : resolve(root, all)
const desktop = { width: 1280, height: 780 }
const phone = { width: 390, height: 780 }

/** The widths of `--all`. A page that is longer than the screen is shown whole, up to this height. */
const [widths, maxHeight] = [[1440, 1024, 390], 2_600]

/** An image: a page of the sandbox, on a screen, in a color scheme. */
interface Shot {
  readonly name: string
  readonly path: string
  readonly size?: typeof desktop
  readonly schemes: readonly ('light' | 'dark')[]
  /** Brings the page to the state that the image shows. */
  readonly prepare: (page: Page) => Promise<unknown>
}

const server = await startServer({ port: 0, logLevel: 'silent' })
try {
  await mkdir(folder, { recursive: true })
  const shown = await fillTenant()
  if (all === undefined)
    await withBrowser(async browser => {
      for (const shot of shots(shown)) for (const scheme of shot.schemes) await take(browser, shot, scheme)
    })
  else
    for (const width of widths)
      for (const scheme of ['light', 'dark'] as const)
        await withBrowser(browser => takeViews(browser, shown.lead_id, width, scheme))
} finally {
  await server.close()
}

async function withBrowser(act: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await openBrowser()
  try {
    await act(browser)
  } finally {
    await browser.close()
  }
}

/** Takes every view that the navigation links to, and the page of a lead. */
async function takeViews(browser: Browser, leadId: string, width: number, colorScheme: 'light' | 'dark') {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' })
  await page.goto(`${server.url}/_sandbox/#/shop/leads`)
  const links = page.locator('.sidebar nav a')
  await links.first().waitFor({ state: 'attached' })
  const hrefs = await links.evaluateAll(all => all.map(link => link.getAttribute('href') ?? ''))
  for (const href of [...hrefs, `#/shop/leads/${leadId}`]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`${server.url}/_sandbox/${href}`)
    await drawn(page)
    const more = await page.locator('main').evaluate(main => main.scrollHeight - main.clientHeight)
    await page.setViewportSize({ width, height: Math.min(maxHeight, 900 + more) })
    const view = href.endsWith(leadId) ? 'lead' : href.replace(/^#\/\w+\//, '').replaceAll(/\W+/g, '-')
    const file = `${view}-${width}-${colorScheme}.png`
    await writeFile(join(folder, file), await page.screenshot())
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    console.log(wider > 0 ? `${file}: ${wider} px wider than the screen` : file)
  }
}

/** Resolves when a view has its title, nothing is loading, and its text has stopped changing. */
async function drawn(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  const textOf = () => page.locator('main').textContent()
  for (let before: string | null = null, tries = 0; tries < 40; tries++) {
    await pause(150)
    const now = await textOf()
    if (now === before && (await page.locator('[aria-busy="true"]').count()) === 0) return
    before = now
  }
}

/** A tenant in which an afternoon has passed: leads of every outcome, and a receiver that was down for a while. */
async function fillTenant() {
  const sandbox = await connectSandbox(server.url)
  const tenant = await sandbox.createTenant({ name: 'shop', seed: 'screenshots', frozenAt: '2026-03-02T14:03:00Z' })
  const leads = createTestLeads(tenant.account, { tag: 'shop', today: new Date('2026-03-02') })
  const named = (address: string) => ({ customer: { contact: { email: { address: `${address}@example.com` } } } })
  const afternoon = [
    leads.distributed(named('marta')),
    leads.ageRestricted(named('pablo')),
    leads.distributed(named(all === undefined ? 'lucia' : 'maria-del-carmen.fernandez-de-la-vega.y-ortiz')),
    leads.customerAlreadyExists(named('marta.ruiz')),
    leads.new(named('jorge')),
    leads.geographicRestriction(named('carmen')),
    leads.distributed(named('sofia')),
    leads.fraudSuspected(named('x-94')),
    leads.eligibilityFailed(named('diego')),
    leads.distributed(named('elena')),
    leads.incomeInsufficient(named('raul')),
  ]
  for (const lead of afternoon) {
    await submitLead(tenant.account, lead)
    await tenant.clock.advance({ by: 'PT7M41S' })
  }
  const { lead_id } = await submitLead(tenant.account, leads.distributed(named('ana')))
  await tenant.inbox.change({ status: 503, times: 2 })
  await tenant.clock.advance({ by: 'PT4M' })
  await tenant.leads.trigger(lead_id, { event: 'approved' })
  await tenant.clock.advance({ by: 'PT2M' })
  const rejected = await submitLead(tenant.account, leads.incomeInsufficient(named('hugo')))
  const { redirect_url = '' } = await tenant.leads.show(lead_id)
  return { lead_id, rejected_id: rejected.lead_id, advertiserPath: redirect_url.slice(server.url.length) }
}

function shots({ lead_id, rejected_id, advertiserPath }: Awaited<ReturnType<typeof fillTenant>>): readonly Shot[] {
  const view = (path: string) => `/_sandbox/#/shop/${path}`
  const both = ['light', 'dark'] as const
  return [
    {
      name: 'console-leads',
      path: view('leads'),
      schemes: both,
      prepare: page => page.getByRole('link', { name: 'hugo@example.com' }).waitFor(),
    },
    {
      name: 'console-lead',
      path: view(`leads/${lead_id}`),
      schemes: both,
      prepare: page => page.getByText('Callback for loan_issued delivered').waitFor(),
    },
    {
      name: 'console-submit',
      path: view('submit'),
      schemes: ['light'],
      async prepare(page) {
        await page.getByLabel('Test lead').selectOption({ label: 'Age restriction' })
        await page.getByRole('row', { name: /^Age .* Rejected/ }).waitFor()
        // The editor loads last.
        await page.getByText('"loan_purpose"').first().waitFor()
      },
    },
    {
      name: 'console-phone',
      path: view(`leads/${rejected_id}`),
      size: phone,
      schemes: ['light'],
      prepare: page => page.getByText('Rejected: income insufficient').waitFor(),
    },
    {
      name: 'advertiser-page',
      path: advertiserPath,
      size: { width: 820, height: 760 },
      schemes: both,
      async prepare(page) {
        await page.getByRole('button', { name: 'registration' }).click()
        await page.getByText('The service recorded registration').or(page.getByText('The service ignored')).waitFor()
      },
    },
  ]
}

async function take(browser: Browser, { name, path, size = desktop, prepare }: Shot, colorScheme: 'light' | 'dark') {
  const page = await browser.newPage({ viewport: size, colorScheme, reducedMotion: 'reduce' })
  await page.goto(`${server.url}${path}`)
  await prepare(page)
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime)
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  const image = await page.screenshot()
  await page.close()
  const file = `${name}-${colorScheme}.png`
  await writeFile(join(folder, file), image)
  const painted = paint === undefined ? '' : `, first paint after ${Math.round(paint)} ms`
  console.log(`${file}: ${Math.round(image.length / 1024)} KiB${painted}`)
}
