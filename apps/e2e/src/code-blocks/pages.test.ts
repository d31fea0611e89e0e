import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rejectionReasons } from '@lead-distribution/contract'
import { createSandboxClient } from '@lead-distribution/control-client'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../adapters/sockets.ts'
import { isTest, sources } from '../architecture/sources.ts'
import { hasBrowser } from '../browser/open-browser.ts'
import { eachRow } from '../each-row.ts'
import { filesOf, languagesOf, type Page, pagesIn, parsePage, readPage } from './parse-page.ts'
import { installPlaywright, interpreters, missing } from './reader.fixture.ts'
import { installFromSources, type PageToRun, runPage } from './run-page.ts'
import { typeFaults } from './type-faults.ts'

const guides = pagesIn('docs/guides/*.md')
const recipes = pagesIn('docs/recipes/*.md')
const sandboxPages = pagesIn('docs/sandbox/*.md').filter(({ markdown }) => markdown.includes('```sh'))
const conforms = /The service conforms\./

const loop = join(import.meta.dirname, 'loop.fixture.ts')

/** The pages that leave some steps to their reader. */
const rows: readonly PageToRun[] = [
  {
    ...readPage('packages/conformance/README.md'),
    async prepare(folder, port) {
      const callbackPort = String(await freePort())
      const { account } = await createSandboxClient({ baseUrl: `http://127.0.0.1:${port}` }).createTenant({
        callbackUrl: `http://127.0.0.1:${callbackPort}/callbacks?source=conformance`,
      })
      writeFileSync(join(folder, 'account.json'), JSON.stringify(account))
      return {
        ...(await installFromSources(folder, port)),
        LEAD_SANDBOX_TENANT: account.tenant,
        LEAD_PUBLISHER_API_KEY: account.publisher.api_key,
        PUBLISHER_ID: account.publisher.publisher_id,
        PRODUCT_ID: account.products[0]?.product_id ?? '',
        BASE_URL: account.base_url,
        PORT: callbackPort,
      }
    },
    prints: { account: conforms, any: conforms, callbacks: conforms, changes: conforms },
    afterwards: { 'node library.ts': /^$/ },
  },
  {
    ...readPage('README.md'),
    prints: { 'first-lead': /"status":"distributed"/ },
    afterwards: { [`node --import ${loop} the-loop.ts`]: /^303\nregistration approved\n$/ },
  },
  {
    ...readPage('docs/concepts/callbacks.md'),
    afterwards: { 'node receive-one.ts': /^approved, proved by url_secret\nrefused: / },
  },
  { ...readPage('docs/concepts/tenants-and-accounts.md'), afterwards: { 'node own-tenant.ts': /^$/ } },
  {
    ...readPage('docs/playground.md'),
    afterwards: { 'node first-lead.ts': /^The lead is distributed\.\n.+: accepted\n/ },
  },
  readPage('packages/control-client/README.md'),
  readPage('packages/msw/README.md'),
  {
    ...readPage('docs/sdks/offline-tests.md'),
    async prepare(folder, port) {
      const test = `import { expect, it } from 'vitest'
import { account, close, handlers, server } from './by-hand.ts'

it('opens a sandbox', async () => {
  expect([account.tenant, server.listHandlers()]).toEqual(['test-1', handlers])
  await close()
})
`
      writeFileSync(join(folder, 'use-by-hand.test.ts'), test)
      return installWithBrowser(folder, port)
    },
    ...(hasBrowser && { afterwards: { 'npx playwright test playwright.spec.ts': /^ +1 passed/m } }),
  },
  {
    ...readPage('docs/recipes/playwright.md'),
    prepare: installWithBrowser,
    needs: ['browser'],
    prints: { 'run-it': /^ +5 passed/m },
  },
]

async function installWithBrowser(folder: string, port: string) {
  const env = await installFromSources(folder, port)
  if (hasBrowser) await installPlaywright(folder)
  return env
}

/** The pages that other tests run, and those whose commands need the reader's own checkout or database. */
const elsewhere = {
  'apps/e2e/src/code-blocks/advertiser-sdk.test.ts': ['packages/advertiser-sdk/README.md'],
  'apps/e2e/src/code-blocks/publisher-sdk.test.ts': [
    ...['callbacks', 'logging', 'many-leads', 'retries', 'runtimes'].map(name => `docs/sdks/${name}.md`),
    'packages/publisher-sdk/README.md',
  ],
  'apps/e2e/src/languages': ['callbacks', 'postbacks', 'signatures', 'status', 'submit'].map(
    name => `docs/languages/${name}.md`,
  ),
  'apps/e2e/src/quick-starts': pagesIn('docs/quick-starts/*.md').map(({ path }) => path),
  'apps/sandbox/src/configuration/configuration.test.ts': ['docs/sandbox/configuration.md'],
  'apps/sandbox/src/express/sandbox-router.test.ts': ['docs/sandbox/embed.md'],
  nothing: ['benchmarks', 'conformance', 'open-points', 'operate-the-sandbox', 'versions'].map(
    name => `docs/${name}.md`,
  ),
}

/** The files of pages that other tests or tools run, or that are only compiled. */
const usedElsewhere = {
  'callback-recipes.test.ts': ['fastify', 'http', 'nest'].map(name => `${name}-server.ts`),
  'callback-recipes.test.ts, in process': ['hono-app.ts', 'next-route.ts', 'worker.ts'],
  'ci-recipes.test.ts': ['.github/workflows/drift.yml', '.github/workflows/leads.yml', '.gitlab-ci.yml'],
  'use-by-hand.test.ts, which the row adds': ['by-hand.ts'],
  'vitest and Playwright': ['playwright.config.ts', 'vitest.config.ts'],
  'the compiler': ['browser.ts', 'options.ts', 'rest-handler.ts'],
}

const ownRows = new Set(rows.map(({ path }) => path))

/** Every row, and each page without one, once per language in its tabs. */
const pages = [...rows, ...[...guides, ...sandboxPages, ...recipes].filter(({ path }) => !ownRows.has(path))].flatMap(
  (page: PageToRun) =>
    languagesOf(page).map(language => {
      if (!language) return { needs: [], ...page, title: page.path }
      return { ...page, language, needs: [interpreters[language] ?? ''], title: `${page.path} in ${language}` }
    }),
)

const folder = mkdtempSync(join(tmpdir(), 'pages-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
/** The files that each page saves. */
const saved = new Map<string, readonly string[]>()

describe('the pages', () => {
  // A page runs up to fifteen commands, and some are whole test suites.
  it.concurrent.for(pages)('$title works as shown', { timeout: 240_000 }, async (page, { skip }) => {
    const reason = missing(page.title, page.needs)
    if (reason) skip(reason)
    saved.set(page.title, await runPage(page, folder))
  })

  it('have TypeScript that compiles in strict mode', () => {
    const { 'README.md': readme = [], ...others } = Object.fromEntries(saved)
    expect(
      typeFaults(
        Object.values(others)
          .flat()
          .filter(path => path.endsWith('.ts')),
      ),
    ).toEqual([])
    expect(typeFaults([loop, ...readme])).toEqual([])
  })

  it('leave out only this, and each guide shows an output', () => {
    const stepsOf = (kind: string) =>
      pages.flatMap(page => parsePage(page).flatMap(step => (step.kind === kind ? [{ ...step, path: page.path }] : [])))
    const left = stepsOf('left').map(step => `${step.path}: ${'reason' in step && step.reason}`)
    expect(left).toEqual([
      'README.md: it needs the repository on GitHub',
      'packages/msw/README.md: matchers.test.ts of the package shows it',
      'docs/recipes/github-actions.md: it needs a Docker engine',
      'docs/recipes/testcontainers.md: it needs a Docker engine',
      'docs/recipes/testcontainers.md: it needs a Docker engine',
    ])
    const withOutput = new Set(stepsOf('output').map(({ path }) => path))
    expect(guides.filter(({ path }) => !withOutput.has(path))).toEqual([])
  })

  it('save only files that a command uses or another test runs', () => {
    const idle = pages.flatMap(page => {
      const uses = [...parsePage(page), ...Object.keys(page.afterwards ?? {}).map(code => ({ code, name: '' }))]
      const isUsed = (file: string) =>
        uses.some(step => 'code' in step && !('name' in step && step.name === file) && step.code.includes(file))
      return filesOf(page).filter(({ name, tab }) => !tab && !name.endsWith('.test.ts') && !isUsed(name))
    })
    expect(idle.map(({ name }) => name).sort()).toEqual(Object.values(usedElsewhere).flat().sort())
  })

  it('are all pages that show code, except those that another test runs', () => {
    const documentation = pagesIn(
      '{README.md,docs/**/*.md,packages/*-{sdk,client}/README.md,packages/{msw,conformance}/README.md}',
    )
    const run = new Set(pages.map(({ path }) => path))
    const others = documentation.filter(({ path, markdown }) => !run.has(path) && /^\s*(```|~~~)/m.test(markdown))
    expect(others.map(({ path }) => path)).toEqual(Object.values(elsewhere).flat().sort())
  })

  it('redirect output to a file only if something reads it later', () => {
    const unread = [...pages, ...pagesIn('docs/quick-starts/*.md')].flatMap(page =>
      parsePage(page)
        .filter(step => step.kind === 'command' || step.kind === 'terminal')
        .flatMap(({ code }) => [...code.matchAll(/> ?([\w./]+)$/gm)].map(([, file = '']) => file))
        .filter(file => page.markdown.split(file).length === 2)
        .map(file => `${page.path}: ${file}`),
    )
    expect(unread).toEqual([])
  })

  it("are short, not counting other languages' tabs and link targets: guides 40 to 125 lines, recipes up to 120", () => {
    const linesOf = (page: Page) => {
      const [first] = languagesOf(page)
      const hidden = parsePage(page).flatMap(step => (step.tab !== first && 'code' in step ? `${step.code}\n\n\n` : ''))
      const text = page.markdown.replaceAll(/^\[[^\]]+\]: .*\n?/gm, '').trimEnd()
      return text.split('\n').length - hidden.join('').split('\n').length + 1
    }
    const isLong = (page: Page, most: number) => linesOf(page) < 40 || linesOf(page) > most
    const wrong = [...guides.filter(page => isLong(page, 125)), ...recipes.filter(page => isLong(page, 120))]
    expect(wrong.map(({ path }) => path)).toEqual([])
    const tenLines = filesOf(readPage('packages/msw/README.md')).find(({ name }) => name === 'ten-lines.test.ts')
    expect(tenLines?.code.split('\n').filter(line => line.trim() !== '')).toHaveLength(10)
  })

  it('force every specified rejection, both ways', () => {
    const { markdown } = readPage('docs/guides/force-a-rejection.md')
    const times = (reason: string) => markdown.split(new RegExp(`\\b${reason}\\b`)).length - 1
    // The ten specified reasons come first. The guide may leave out additions.
    expect(rejectionReasons.slice(0, 10).filter(reason => times(reason) < 3)).toEqual([])
  })

  it('quote messages in the troubleshooting tables that exist in the code', async () => {
    const { markdown } = readPage('docs/guides/troubleshooting.md')
    const rows = markdown.matchAll(/^\| (?:`` (.+?) ``|`(.+?)`)/gm)
    const messages = [...rows].map(([, quoting, plain]) => quoting ?? plain ?? '')
    const code = sources
      .filter(({ path }) => !isTest(path) && !path.startsWith('apps/e2e/'))
      .map(({ text }) => text.replaceAll('\\`', '`').replaceAll("\\'", "'"))
    expect(messages.length).toBeGreaterThan(20)
    await eachRow(messages, message => {
      // The variable parts of a message depend on the case.
      const parts = message.split('…').map(part => part.trim())
      expect(parts.filter(part => !code.some(text => text.includes(part)))).toEqual([])
      expect(Math.max(...parts.map(part => part.length))).toBeGreaterThan(15)
    })
  })

  it('name exactly the runtimes in the table of lost replies where they say what is tested', () => {
    const [runtimes, table] = [readPage('docs/sdks/runtimes.md').markdown, readPage('docs/lost-replies.md').markdown]
    const tested = /^\| call \| fault \| (.*) \|$/m.exec(table)?.[1]?.split(/ \| |, /)
    const named = /The SDKs are tested on (.*?)\. /.exec(runtimes)?.[1]?.split(/, | and /)
    expect(named?.map(each => each.replace(/^\d/, 'Node $&'))).toEqual(tested)
  })
})

describe('a block that would not run', () => {
  const fence = '```'
  it.each([
    ['an unknown remark', `<!-- ci: stays runing -->\n${fence}sh\nnode\n${fence}`, 'line 1: tests do not know'],
    [
      'a remark apart from its block',
      `<!-- ci: exit 1 -->\n\nText.\n\n${fence}sh\nls\n${fence}`,
      'line 3: the comment',
    ],
    ['a remark without a block', `Text.\n\n<!-- ci: exit 1 -->`, 'line 3: the comment'],
    ['a malformed remark', `<!--ci: exit 1-->`, 'line 1: tests do not know'],
    ['a block without an end', `Text.\n\n${fence}sh\nls`, 'line 3: begin and end'],
    ['a block without a language', `${fence}\nls\n${fence}`, 'line 1: a block'],
    ['a program without a name', `- In a list:\n  ${fence}python\n  print(1)\n  ${fence}`, 'line 2: a block of python'],
  ])('is an error: %s', (_name, markdown, message) => {
    expect(() => parsePage({ path: 'page.md', markdown })).toThrow(`page.md, ${message}`)
  })
})
