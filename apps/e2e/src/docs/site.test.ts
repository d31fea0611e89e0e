import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { root } from '../architecture/sources.ts'
import { hasBrowser, openPage, sharedBrowser } from '../browser/open-browser.ts'
import { violationsOf } from '../console/console.fixture.ts'
import { eachRow } from '../each-row.ts'
import { type BuiltSite, base, openSite } from './built-site.ts'
import { testPlayground } from './playground.fixture.ts'
import { testReference } from './reference.fixture.ts'
import { exportsOf, labelOf } from './reference-model.fixture.ts'

let site: BuiltSite
// TypeDoc compiles every package: the usual limit is too short on a busy machine.
beforeAll(async () => {
  site = await openSite()
}, 900_000)
afterAll(() => site?.close())

const filesOf = (ending: string) =>
  readdirSync(site.folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith(ending))
    .map(entry => relative(site.folder, join(entry.parentPath, entry.name)))
const read = (path: string) => readFileSync(join(site.folder, path), 'utf8')

describe('the files of the site', () => {
  it('are a page for each file of the documentation, and all are in the navigation', () => {
    const pages = new Set(filesOf('.html'))
    const sources = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter(path => /^(concepts|guides|quick-starts|recipes|errors|languages|sandbox|sdks)\/.*\.md$/.test(path))
      .map(path => path.replace(/(\/README)?\.md$/, '/index.html'))
    expect(sources.length).toBeGreaterThan(60)
    expect(sources.filter(path => !pages.has(path))).toEqual([])
    const navigation = read('index.html') + read('errors/index.html')
    const address = (path: string) => `href="${base}${path.replace(/index\.html$/, '')}"`
    expect(sources.filter(path => !navigation.includes(address(path)))).toEqual([])
    // Each topic shows its own pages alone.
    expect(read('index.html')).not.toContain(address('errors/sdk/config/index.html'))
  })

  it('are listed for search engines and language models', () => {
    expect(read('llms.txt')).toContain('llms-full.txt')
    expect(read('llms-full.txt')).toContain('# A first lead')
    expect(read('sitemap-0.xml')).toContain('/guides/first-lead/')
  })

  it('hold no decision, no internal package and no fixture', () => {
    const names = filesOf('.html').join('\n')
    expect(names).not.toMatch(/decisions\/|\.fixture|reference\/(engine|http|simulator|contract|sdk-core)\//)
  })

  it('link to nothing that is missing, neither a page nor a part of one', () => {
    const anchors = new Map(filesOf('.html').map(path => [path, idsOf(read(path))]))
    const missing: string[] = []
    for (const path of anchors.keys()) {
      const address = new URL(`${base}${path}`, 'http://site')
      for (const [, link = ''] of read(path).matchAll(/<[^>]+ (?:href|src)="([^"]+)"/g)) {
        const to = new URL(link.replaceAll('&#38;', '&').replaceAll('&amp;', '&'), address)
        if (to.host !== 'site') continue
        const file = decodeURIComponent(to.pathname)
          .replace(base, '')
          .replace(/(^|\/)$/, '$1index.html')
        const found = existsSync(join(site.folder, file))
        const anchor = decodeURIComponent(to.hash.slice(1))
        if (!found || (anchor && file.endsWith('.html') && !anchors.get(file)?.has(anchor)))
          missing.push(`${path}: ${link}`)
      }
    }
    expect(missing).toEqual([])
  })

  it('have a title, a heading of the first level, and a head and a body in each table', () => {
    const wrong = filesOf('.html').filter(path => {
      const html = read(path)
      const count = (pattern: RegExp) => html.match(pattern)?.length ?? 0
      const tables = [count(/<table[ >]/g), count(/<thead[ >]/g), count(/<tbody[ >]/g)]
      return !/<title>[^<]+<\/title>/.test(html) || count(/<h1[ >]/g) !== 1 || new Set(tables).size > 1
    })
    expect(wrong).toEqual([])
    expect(read('index.html')).toContain('<title>Lead distribution toolkit</title>')
  })
})

const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))

describe('the reference', () => {
  testReference(() => site.reference)

  it('leads from an error to its class, and from a section of the specification to its description', () => {
    const page = read(`${publisherReference}/interfaces/publisher/index.html`)
    expect(page).toContain(`${base}${publisherReference}/errors/#abortederror`)
    expect(page).toContain(`${base}service/#spec-4-1`)
  })

  it('lists every export on the page of its package, with a link to its description', () => {
    const exported = exportsOf(site.reference)
    expect(exported.length).toBeGreaterThan(150)
    const missing = exported.filter(
      ({ entry, path: [name] }) =>
        !read(`${entry.replace('@lead-distribution', 'reference')}/index.html`).includes(`>${name}</a>`),
    )
    expect(missing.map(labelOf)).toEqual([])
    // Each is tagged with a category, such as `@category Leads`.
    expect(filesOf('.html').filter(path => read(path).includes('<h2 id="other"'))).toEqual([])
  })

  it('shows the words of a type, not where they are declared', () => {
    expect(read(`${publisherReference}/types/index.html`)).toMatch(/RejectionReason.{1,300}income_insufficient/)
  })

  it('has no page that nobody reads to its end', () => {
    const long = filesOf('.html').filter(path => read(path).length > 200_000)
    expect(long).toEqual([])
  })
})

describe('the pages of the HTTP API', () => {
  const textOf = (path: string) =>
    read(path)
      .replace(/^.*<h1/s, '<h1')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')

  it('begin with what an operation does, its method and its path', () => {
    expect(textOf('http/service/operations/submitlead/index.html')).toMatch(/^ Submit a lead .{0,30}POST \/lead /)
    expect(textOf('http/service/index.html')).toMatch(/^ HTTP API of the service Publishers submit/)
    expect(read('http/service/index.html')).not.toContain('License')
  })

  it('lead from an error to its page', () => {
    const page = read('http/service/operations/submitlead/index.html')
    expect(page).toContain(`href="${base}errors/service/validation_error/"`)
  })
})

const publisherReference = 'reference/publisher-sdk'

/** The page that answers a word, or any of several that do. */
const searches: [words: string, pages: string[]][] = [
  ['API key', ['guides/keep-your-keys/', 'concepts/tenants-and-accounts/', 'service/']],
  ['advertiser php', ['quick-starts/advertiser-php/']],
  ['backup', ['guides/back-up-and-upgrade/', 'operate-the-sandbox/']],
  ['certify', ['guides/certify-a-publisher/', 'guides/certify-an-advertiser/']],
  ['clock', ['concepts/time/']],
  ['console', ['sandbox/console/']],
  ['curl', ['languages/', 'languages/submit/', 'languages/status/', 'languages/postbacks/']],
  ['customer_already_exists', ['errors/rejections/customer_already_exists/']],
  ['docker', ['operate-the-sandbox/', 'recipes/testcontainers/']],
  ['duplicate', ['concepts/lead-states/', 'errors/rejections/duplicate_submission/']],
  ['environment variables', ['sandbox/command-line/']],
  ['express', ['guides/receive-callbacks/']],
  ['fault', ['sandbox/faults/']],
  ['freeze', ['concepts/time/']],
  ['GDPR', ['sandbox/privacy/']],
  ['github actions', ['recipes/github-actions/']],
  ['idempotency', ['concepts/idempotency/']],
  ['income_insufficient', ['errors/rejections/income_insufficient/']],
  ['install', ['quick-starts/publisher/', 'quick-starts/qa/']],
  ['lead_id', ['glossary/', 'concepts/the-loop/']],
  ['metrics', ['guides/observability/']],
  ['msw', ['packages/msw/', 'quick-starts/qa/']],
  ['never distribute', ['concepts/never-distribute/']],
  ['next.js', ['guides/receive-callbacks/']],
  ['openapi', ['guides/openapi/']],
  ['outcome_unknown', ['errors/sdk/outcome_unknown/']],
  ['parallel tests', ['guides/parallel-tests/']],
  ['playwright', ['recipes/playwright/']],
  ['PostgreSQL', ['operate-the-sandbox/']],
  ['postback', ['quick-starts/advertiser/', 'guides/follow-the-redirect/']],
  ['rate limit', ['errors/sdk/rate_limit/']],
  ['rejected', ['concepts/lead-states/', 'guides/force-a-rejection/', 'guides/explain-a-rejection/']],
  ['retry', ['sdks/retries/', 'guides/lost-reply/', 'guides/receiver-down/', 'errors/sdk/outcome_unknown/']],
  ['snapshot', ['guides/snapshots/']],
  ['test lead', ['guides/test-leads/']],
  ['timeout', ['sdks/retries/', 'errors/sdk/outcome_unknown/', 'guides/lost-reply/']],
  ['upgrade', ['versions/', 'guides/back-up-and-upgrade/']],
  ['vitest', ['recipes/vitest-global-setup/']],
  ['webhook', ['concepts/callbacks/', 'guides/receive-callbacks/']],
  ['X-Signature', ['concepts/callbacks/']],
]

// Many pages and questions each, on machines that do other work.
describe.runIf(hasBrowser)('in a browser, the site', { timeout: 400_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })

  it('has the right page among the first three results of a search', async () => {
    const { page } = await openPage(browser, new URL(site.url).origin)
    await page.goto(site.url)
    const dialog = page.getByRole('dialog')
    // The script that listens for the keys may still be loading.
    const isOpen = async () => (await dialog.isVisible()) || void (await page.keyboard.press('Control+k'))
    await expect.poll(isOpen).toBe(true)
    const results = dialog.locator('.pagefind-ui__result-title a')
    await eachRow(searches, async (words, right) => {
      await dialog.getByRole('textbox').fill(words)
      await dialog.locator('.pagefind-ui__message', { hasText: `for ${words}` }).waitFor()
      await results.first().waitFor()
      // Each result is loaded by itself.
      await expect.poll(() => dialog.locator('.pagefind-ui__loading').count()).toBe(0)
      const links = await results.evaluateAll(found => found.map(link => (link as HTMLAnchorElement).pathname))
      const found = [...new Set(links)].slice(0, 3).map(link => link.replace(base, ''))
      expect(found.filter(path => right.includes(path)).length, `found ${found.join(', ')}`).toBeGreaterThan(0)
    })
    await results.first().click()
    await page.waitForURL(url => url.pathname !== base)
    await page.close()
  })

  it('has at most 64 entries in its navigation, beside the folded groups', async () => {
    const { page } = await openPage(browser, new URL(site.url).origin)
    await page.setViewportSize({ width: 1280, height: 844 })
    await page.goto(site.url)
    const entries = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').count()
    await page.close()
    expect(entries).toBeGreaterThan(40)
    expect(entries).toBeLessThanOrEqual(64)
  })

  it('never scrolls sideways, on a phone and on a desktop, and no page complains', async () => {
    const { page, complaints, elsewhere } = await openPage(browser, new URL(site.url).origin)
    const wide: string[] = []
    for (const path of samplePages()) {
      await page.goto(site.url + path.replace(/index\.html$/, ''), { waitUntil: 'domcontentloaded' })
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 844 })
        const shown = Number(await page.evaluate('document.documentElement.scrollWidth'))
        if (shown > width) wide.push(`${path}: ${shown} px`)
      }
    }
    await page.close()
    expect([wide, complaints, elsewhere]).toEqual([[], [], []])
  })

  describe('tabs', () => {
    const openTabs = async (path: string, width: number) => {
      const { page, complaints } = await openPage(browser, new URL(site.url).origin)
      onTestFinished(() => page.close())
      await page.setViewportSize({ width, height: 844 })
      // A busy machine may never be idle: the script that lets keys scroll a block then takes a timer.
      await page.addInitScript('window.requestIdleCallback = undefined')
      await page.goto(site.url + path)
      return { page, complaints, shown: page.getByRole('tabpanel') }
    }

    it.each([390, 1280])('are chosen by keys, and stay chosen on the next page, %i px wide', async width => {
      const { page, complaints, shown } = await openTabs('languages/submit/', width)
      await page.getByRole('tab', { name: 'curl', selected: true }).focus()
      for (const _ of ['PHP', 'Python']) await page.keyboard.press('ArrowRight')
      await expect.poll(() => shown.count()).toBe(1)
      expect(await shown.textContent()).toContain('submit_lead.py')
      // A block that scrolls can be reached by keys a moment after it is shown.
      await expect.poll(() => violationsOf(page, 'starlight-tabs')).toEqual([])

      await page.goto(`${site.url}guides/first-lead/`)
      await page.getByRole('tab', { name: 'Python', selected: true }).waitFor()
      expect(await shown.textContent()).toContain('urllib.request')
      await expect.poll(() => violationsOf(page, 'starlight-tabs')).toEqual([])
      expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBe(width)
      expect(complaints).toEqual([])
    })

    it('copy the block that they show', async () => {
      const { page, shown } = await openTabs('languages/status/', 1280)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.getByRole('tab', { name: 'PHP' }).click()
      await shown.getByRole('button', { name: 'Copy to clipboard' }).click()
      const copied = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(copied).toMatch(/^<\?php \/\/ report-status\.php .*\n[\s\S]*\nexit\(1\);$/)
    })

    it('show every block where no script runs', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false })
      onTestFinished(() => context.close())
      const page = await context.newPage()
      await page.goto(`${site.url}languages/submit/`)
      expect(await page.getByRole('tabpanel').count()).toBe(4)
    })
  })

  // Each kind of page once: plugins bring colors, headings and tables of their own.
  it.each([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 390 },
  ] as const)('is accessible in the $colorScheme theme, $width px wide', async ({ colorScheme, width }) => {
    const { page } = await openPage(browser, new URL(site.url).origin)
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 844 })
    // A tool that reads pages aloud finds a button by its text, too.
    const rules = { 'label-content-name-mismatch': { enabled: true } }
    const found: string[] = []
    for (const path of [
      '',
      'quick-starts/publisher/',
      'guides/test-leads/',
      'sandbox/command-line/',
      'errors/',
      'playground/',
      'http/service/',
      'http/service/operations/submitlead/',
      `${publisherReference}/`,
      `${publisherReference}/interfaces/publisher/`,
      `${publisherReference}/types/`,
      '404.html',
    ]) {
      await page.goto(site.url + path)
      const violations = await violationsOf(page, 'html', rules)
      found.push(...violations.map(text => `${path}: ${text}`))
    }
    await page.close()
    expect(found).toEqual([])
  })

  it('loads the pictures of its theme only', async () => {
    const { page } = await openPage(browser, new URL(site.url).origin)
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(site.url)
    const picture = page.getByRole('img', { name: /^A lead in the console/ })
    await picture.scrollIntoViewIfNeeded()
    await expect.poll(() => picture.evaluate(image => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
    await page.waitForLoadState('networkidle')
    await page.close()
    expect(asked.filter(url => url.includes('console-lead-dark'))).toHaveLength(1)
    expect(asked.filter(url => url.includes('console-lead-light'))).toEqual([])
  })

  testPlayground(() => site)

  it('says so where there is no page, and leads on from there', async () => {
    const { page, complaints } = await openPage(browser, new URL(site.url).origin)
    const response = await page.goto(`${site.url}guides/no/such/page.html`)
    expect(response?.status()).toBe(404)
    await page.getByRole('link', { name: 'Lead distribution toolkit' }).click()
    await page.waitForURL(site.url)
    expect(complaints.filter(text => !text.includes('404'))).toEqual([])
  })
})

/** The pages that are opened in a browser: of different folders, those with most tables, and those with most code. */
function samplePages(): string[] {
  const folders = Object.groupBy(filesOf('.html'), path => path.split('/').slice(0, -2).join('/'))
  const withMost = (part: string, count: number) =>
    Object.values(folders)
      .map((pages = []) => pages.map(path => ({ path, parts: read(path).split(part).length })))
      .map(pages => pages.reduce((most, page) => (page.parts > most.parts ? page : most)))
      .toSorted((one, other) => other.parts - one.parts)
      .slice(0, count)
      .map(({ path }) => path)
  const sample = new Set(['index.html', ...withMost('<table', 5), ...withMost('<pre', 4)])
  expect(sample.size).toBeGreaterThan(7)
  return [...sample]
}
