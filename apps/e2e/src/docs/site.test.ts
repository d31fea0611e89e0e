import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, openPage, sharedBrowser } from '../browser/open-browser.ts'
import { eachRow } from '../each-row.ts'
import { type BuiltSite, openSite } from './built-site.ts'
import { testReference } from './reference.fixture.ts'

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
  it('are each page of a guide, and the same page as Markdown', () => {
    const pages = filesOf('.html').filter(path => /^(concepts|guides|quick-starts)\//.test(path))
    expect(pages.length).toBeGreaterThan(20)
    expect(pages.filter(path => !existsSync(join(site.folder, path.replace(/html$/, 'md'))))).toEqual([])
  })

  it('are listed for search engines and language models', () => {
    const listed = read('llms.txt')
    const documents = filesOf('.md').filter(path => !path.startsWith('media/'))
    expect(documents.filter(path => !listed.includes(`](${path})`))).toEqual([])
    expect(read('sitemap.xml')).toContain('/guides/first-lead.html')
  })

  it('hold no decision, no internal package and no fixture', () => {
    const names = filesOf('.html').join('\n')
    expect(names).not.toMatch(/decision|fixture|modules\/_lead-distribution_(engine|http|simulator|contract|sdk-core)/)
  })

  it('link to nothing that is missing', () => {
    const missing = filesOf('.html')
      .filter(path => path !== '404.html')
      .flatMap(path =>
        [...read(path).matchAll(/ (?:href|src|srcset)="([^"#]+)[^"]*"/g)]
          .map(([, link = '']) => link)
          .filter(link => !/^[a-z]+:/.test(link))
          .filter(link => !existsSync(join(site.folder, path, '..', decodeURIComponent(link))))
          .map(link => `${path}: ${link}`),
      )
    expect(missing).toEqual([])
  })

  it('have a title, a heading of the first level, and a head and a body in each table', () => {
    const wrong = filesOf('.html').filter(path => {
      const html = read(path)
      const count = (pattern: RegExp) => html.match(pattern)?.length ?? 0
      // The front page and the packages show a README, which has a heading of its own.
      const headings = /^(index|modules\/[^/.]+)\.html$/.test(path) ? 2 : 1
      const tables = [count(/<table[ >]/g), count(/<thead[ >]/g), count(/<tbody[ >]/g)]
      return !/<title>[^<]+<\/title>/.test(html) || count(/<h1[ >]/g) !== headings || new Set(tables).size > 1
    })
    expect(wrong).toEqual([])
  })

  it('link from Markdown to nothing that is missing', () => {
    const links = filesOf('.md')
      .filter(path => !path.startsWith('media/'))
      .flatMap(path =>
        [...read(path).matchAll(/(?:\]\(|^\[[^\]]+\]: )(?![a-z]+:)([^)#\s]+)/gm)].map(([, link = '']) =>
          join(path, '..', link),
        ),
      )
    expect(links.length).toBeGreaterThan(100)
    expect(links.filter(link => !existsSync(join(site.folder, link)))).toEqual([])
  })
})

describe('the reference', () => {
  testReference(() => site.reference)

  it('leads from an error to its class, and from a section of the specification to its description', () => {
    const page = read('interfaces/_lead-distribution_publisher-sdk.Publisher.html')
    expect(page.match(/>Throws</g)).toHaveLength(3) // One list for each of its methods.
    expect(page).toContain('classes/_lead-distribution_publisher-sdk.OutcomeUnknownError.html')
    expect(page).toContain('service.html#spec-4-1')
  })

  it('has no page that nobody reads to its end', () => {
    const long = filesOf('.html').filter(path => read(path).length > 300_000)
    expect(long).toEqual([])
  })
})

/** The page that answers a word, or any of several that do. */
const searches: [word: string, pages: string[]][] = [
  ['duplicate', ['concepts/lead-states.html', 'errors/rejections/duplicate_submission.html']],
  ['X-Signature', ['concepts/callbacks.html']],
  ['postback', ['quick-starts/advertiser.html', 'guides/follow-the-redirect.html']],
  ['rejected', ['concepts/lead-states.html', 'guides/force-a-rejection.html']],
  ['lead_id', ['glossary.html', 'concepts/the-loop.html']],
  ['outcome_unknown', ['errors/sdk/outcome_unknown.html']],
  ['webhook', ['concepts/callbacks.html', 'guides/receive-callbacks.html']],
  ['install', ['quick-starts/publisher.html', 'quick-starts/qa.html']],
  ['customer_already_exists', ['errors/rejections/customer_already_exists.html']],
]

describe.runIf(hasBrowser)('in a browser, the site', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })

  it('has the right page among the first three results of a search', async () => {
    const { page } = await openPage(browser, new URL(site.url).origin)
    await page.goto(site.url)
    const results = page.locator('#tsd-search-results a')
    await eachRow(searches, async (word, right) => {
      await page.reload()
      await page.keyboard.press('/')
      await page.fill('#tsd-search-input', word)
      await results.first().waitFor()
      const links = await results.evaluateAll(found => found.slice(0, 3).map(link => (link as HTMLAnchorElement).href))
      const found = links.map(link => link.replace(site.url, ''))
      expect(found.filter(path => right.includes(path)).length, `found ${found.join(', ')}`).toBeGreaterThan(0)
    })
    await page.close()
  })

  it.each([390, 1280])('never scrolls sideways at a width of %i px, and no page complains', async width => {
    const { page, complaints, elsewhere } = await openPage(browser, new URL(site.url).origin)
    await page.setViewportSize({ width, height: 844 })
    const wide: string[] = []
    for (const path of samplePages()) {
      await page.goto(site.url + path, { waitUntil: 'domcontentloaded' })
      // The theme shows a page once its script has run; before that it has no width.
      await page.waitForFunction("document.body && getComputedStyle(document.body).display !== 'none'")
      const shown = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (shown > width) wide.push(`${path}: ${shown} px`)
    }
    await page.close()
    expect([wide, complaints, elsewhere]).toEqual([[], [], []])
  })

  it('says so where there is no page, and leads on from there', async () => {
    const { page, complaints } = await openPage(browser, new URL(site.url).origin)
    const response = await page.goto(`${site.url}guides/no/such/page.html`)
    expect(response?.status()).toBe(404)
    await page.getByRole('link', { name: 'front page' }).click()
    await page.waitForURL(site.url)
    expect(await page.title()).toBe('Lead distribution toolkit')
    expect(complaints.filter(text => !text.includes('404'))).toEqual([])
  })

  it('shows the diagram of the theme', async () => {
    const page = await browser.newPage({ colorScheme: 'dark' })
    await page.goto(site.url)
    const shown = () => page.locator('picture img').evaluate(image => (image as HTMLImageElement).currentSrc)
    expect(await shown()).toMatch(/loop-dark\.svg$/)
    await page.evaluate("document.documentElement.dataset.theme = 'light'")
    await expect.poll(shown).toMatch(/loop-light\.svg$/)
    await page.close()
  })
})

/** The pages that are opened in a browser: of each folder those with most tables, and with most code. */
function samplePages(): string[] {
  const folders = Object.groupBy(filesOf('.html'), path => path.split('/').slice(0, -1).join('/'))
  const most = (pages: string[], part: string) => {
    const counted = pages.map(path => ({ path, count: read(path).split(part).length }))
    return counted.toSorted((one, other) => other.count - one.count)[0]?.path ?? ''
  }
  const sample = Object.values(folders).flatMap((pages = []) => [most(pages, '<table'), most(pages, '<pre')])
  expect(sample.length).toBeGreaterThan(20)
  return [...new Set(['index.html', ...sample])]
}
