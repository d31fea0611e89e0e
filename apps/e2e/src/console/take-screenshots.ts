// Makes the images of the READMEs and guides from the real page, into `docs/images`: `npm run screenshots`. Look at each
// before you commit it. Prints how large each is, and how soon each page painted first.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { connectSandbox } from '@lead-distribution/control-client'
import { startServer } from '@lead-distribution/sandbox'
import type { Browser, Page } from 'playwright-core'
import { root } from '../architecture/sources.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { submitLead } from './submit-lead.ts'

const folder = join(root, 'docs/images')
const desktop = { width: 1280, height: 780 }
const phone = { width: 390, height: 780 }

/** An image: a page of the sandbox, on a screen, in a colour scheme. */
interface Shot {
  readonly name: string
  readonly path: string
  readonly size?: typeof desktop
  readonly schemes: readonly ('light' | 'dark')[]
  /** Brings the page to what the image is to show. */
  readonly prepare: (page: Page) => Promise<unknown>
}

const server = await startServer({ port: 0, logLevel: 'silent' })
const browser = await openBrowser()
try {
  await mkdir(folder, { recursive: true })
  const shown = await fillTenant()
  for (const shot of shots(shown)) for (const scheme of shot.schemes) await take(browser, shot, scheme)
} finally {
  await browser.close()
  await server.close()
}

/** A tenant in which an afternoon has passed: leads of every outcome, and a receiver that was down for a while. */
async function fillTenant() {
  const sandbox = await connectSandbox(server.url)
  const tenant = await sandbox.createTenant({ name: 'shop', seed: 'screenshots', frozen_at: '2026-03-02T14:03:00Z' })
  const leads = createTestLeads(tenant.account, { tag: 'shop', today: new Date('2026-03-02') })
  const named = (address: string) => ({ customer: { contact: { email: { address: `${address}@example.com` } } } })
  const afternoon = [
    leads.distributed(named('marta')),
    leads.ageRestricted(named('pablo')),
    leads.distributed(named('lucia')),
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
