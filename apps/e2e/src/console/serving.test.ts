import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createSandboxClient } from '@lead-distribution/control-client'
import { createSandboxRouter, type SandboxServer, startServer } from '@lead-distribution/sandbox'
import express from 'express'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { root } from '../architecture/sources.ts'
import { hasBrowser, otherName, sharedBrowser } from '../browser/open-browser.ts'
import { buildConsole, openConsole, screens, settled, violationsOf } from './console.fixture.ts'
import { submitLead } from './submit-lead.ts'

const assets = join(root, 'apps/sandbox/console/assets')

let server: SandboxServer
beforeAll(async () => {
  await buildConsole()
  server = await startServer({ port: 0, logLevel: 'silent' })
})
afterAll(() => server.close())

const asBrowser = { headers: { accept: 'text/html,*/*;q=0.8' }, redirect: 'manual' } as const

/** Removes a page's storage: access throws, it is missing, or nothing can be stored. */
function withoutStorage(way: 'denies' | 'lacks' | 'fills'): void {
  const fail = (name: string) => () => {
    throw new DOMException('No storage.', name)
  }
  const ways = {
    denies: { get: fail('SecurityError') },
    lacks: { value: null },
    fills: { value: { getItem: () => null, setItem: fail('QuotaExceededError') } },
  }
  for (const storage of ['localStorage', 'sessionStorage']) Object.defineProperty(globalThis, storage, ways[way])
}

describe('the address of the server', () => {
  it.each(['/', '/_sandbox'])('redirects a browser from %s to the console', async path => {
    const response = await fetch(`${server.url}${path}`, asBrowser)
    expect([response.status, response.headers.get('location')]).toEqual([302, '/_sandbox/'])
  })

  it.each(['/', '/_sandbox', '/_sandbox/'])("lists the sandbox's addresses for a program at %s", async path => {
    const response = await fetch(`${server.url}${path}`)
    const { links, version } = (await response.json()) as { links: Record<string, string>; version: string }
    expect([response.status, version]).toEqual([200, expect.stringMatching(/^\d+\.\d+\.\d+/)])
    const pages = Object.entries(links).filter(([name]) => name !== 'service' && name !== 'control')
    expect(pages.map(([name]) => name)).toEqual(expect.arrayContaining(['console', 'reference', 'health']))
    for (const [name, link] of pages) expect([name, (await fetch(link, asBrowser)).status]).toEqual([name, 200])
  })
})

/** The hash of the only inline element of a kind. */
function hashOf(html: string, tag: string): string {
  const [, text = ''] = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(html) ?? []
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

describe('the page', () => {
  it('loads and calls only its own origin, allows what it holds inline by its hash, and is asked for anew each time', async () => {
    const response = await fetch(`${server.url}/_sandbox/`, asBrowser)
    const html = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none';script-src 'self' ${hashOf(html, 'script')};style-src 'self' ${hashOf(html, 'style')};` +
        "img-src 'self';font-src 'self';connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'",
    )
    expect(html).not.toMatch(/https?:| style=| on\w+=/)
    expect(html.match(/<(?:script|style)[^>]*>/g)).toEqual([
      '<style>',
      '<script>',
      expect.stringMatching(/^<script type="module" crossorigin src="\.\/assets\//),
    ])
  })

  it('has files with hashed names, cached for a year', async () => {
    for (const file of await readdir(assets)) {
      const response = await fetch(`${server.url}/_sandbox/assets/${file}`)
      await response.arrayBuffer()
      expect(file).toMatch(/-[\w-]{8}\.(js|css|svg|woff2)$/)
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
      const encoding = response.headers.get('content-encoding')
      expect([file, encoding]).toEqual([file, file.endsWith('.woff2') ? null : expect.stringMatching(/^(?:br|gzip)$/)])
    }
  })

  it('has a typeface of at most 40 KiB that is loaded at once, and its license', async () => {
    const html = await readFile(join(assets, '../index.html'), 'utf8')
    const [, preloaded = ''] = /<link rel="preload" as="font"[^>]* href="\.\/assets\/([^"]+)"/.exec(html) ?? []
    expect((await readFile(join(assets, preloaded))).length).toBeLessThanOrEqual(40 * 1024)
    expect(await readFile(join(assets, '../geist-license.txt'), 'utf8')).toContain('SIL Open Font License')
  })

  it('holds no zod', async () => {
    const scripts = (await readdir(assets)).filter(file => file.endsWith('.js'))
    const texts = await Promise.all(scripts.map(file => readFile(join(assets, file))))
    expect(texts.filter(text => text.includes('ZodMini')).length).toBe(0)
  })
})

describe.skipIf(!hasBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })

  it('shows its frame in the chosen theme before any script is loaded', async () => {
    const { page } = await openConsole(browser, server.url, screens[0])
    await page.addInitScript(() => localStorage.setItem('lead-sandbox.theme', 'dark'))
    await page.route('**/*.js', () => undefined)
    await page.goto(`${server.url}/_sandbox/`, { waitUntil: 'commit' })
    await page.locator('#frame').getByText('Lead sandbox').waitFor()
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    expect(await page.locator('#frame').evaluate(frame => getComputedStyle(frame).backgroundColor)).toBe(
      'rgb(12, 13, 16)',
    )
    await page.unroute('**/*.js')
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.locator('#frame').isVisible()).toBe(false)
  })

  it('loads at most 136 KiB of page, script and style, gzipped, for the first view', async () => {
    const { page } = await openConsole(browser, server.url, screens[0])
    await page.goto(server.url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled(page)
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    const files = loaded.filter(name => /\.(js|css)$/.test(name)).map(name => basename(name))
    // The page holds the style of its frame.
    const weights = await Promise.all(
      ['../index.html', ...files].map(
        async file => [file, gzipSync(await readFile(join(assets, file)), { level: 9 }).length] as const,
      ),
    )
    const bytes = weights.reduce((sum, [, weight]) => sum + weight, 0)
    expect(bytes, JSON.stringify(weights)).toBeGreaterThan(50 * 1024)
    expect(bytes, JSON.stringify(weights)).toBeLessThanOrEqual(136 * 1024)
  })

  it('works below the path that the sandbox is mounted at', async () => {
    const sandbox = createSandboxRouter({ logLevel: 'silent' })
    const application = createServer(express().use('/leads', sandbox)).listen(0, '127.0.0.1')
    await once(application, 'listening')
    onTestFinished(async () => {
      application.closeAllConnections()
      application.close()
      await sandbox.close()
    })
    const origin = `http://127.0.0.1:${(application.address() as AddressInfo).port}`
    const { page, complaints } = await openConsole(browser, origin, screens[0])
    await page.goto(`${origin}/leads/_sandbox/#/demo/submit`)
    await page.getByRole('button', { name: 'Send the lead' }).click()
    await page.getByRole('link', { name: 'Open the lead' }).click()
    await page.getByText('Passed the checks').waitFor()
    expect(complaints).toEqual([])
  })

  it('starts a lead, and shows the account, if the page came over plain HTTP from another machine', async () => {
    const shared = await startServer({
      port: 0,
      host: '0.0.0.0',
      logLevel: 'silent',
      adminToken: 'a-token-of-the-test',
    })
    onTestFinished(() => shared.close())
    const origin = `http://${otherName}:${new URL(shared.url).port}`
    const { page } = await openConsole(browser, origin, screens[0])
    await page.goto(`${origin}/_sandbox/#/demo/account`)
    await page.getByLabel('Admin token').fill('a-token-of-the-test')
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByRole('heading', { name: 'Products' }).waitFor()
    expect(await page.evaluate(() => isSecureContext)).toBe(false)
    await page.getByRole('button', { name: 'Copy: Base URL' }).click()
    await page.getByText('Copied').waitFor()
    await page.goto(`${origin}/_sandbox/#/demo/diagnose`)
    await page.getByLabel('URL').focus()
    await page.keyboard.press('ControlOrMeta+V')
    expect(await page.getByLabel('URL').inputValue()).toBe(`${shared.url}/api/v1`)
    await page.goto(`${origin}/_sandbox/#/demo/submit`)
    await page.getByRole('cell', { name: 'Distribution' }).waitFor()
  })

  it('copies even if the browser denies the clipboard', async () => {
    const { page } = await openConsole(browser, server.url, screens[0])
    await page.addInitScript(() => {
      const writeText = () => Promise.reject(new DOMException('Write permission denied.', 'NotAllowedError'))
      Object.defineProperty(navigator, 'clipboard', { value: { writeText } })
    })
    await page.goto(`${server.url}/_sandbox/#/demo/account`)
    await page.getByRole('button', { name: 'Copy: Base URL' }).click()
    await page.getByText('Copied').waitFor()
  })

  it('takes a team with its token to its tenant, and says what only the operator can change', async () => {
    const adminToken = 'a-token-of-the-test'
    const shared = await startServer({
      port: 0,
      logLevel: 'silent',
      adminToken,
      allowedCallbackHosts: ['qa.example'],
    })
    onTestFinished(() => shared.close())
    const team = await createSandboxClient({ baseUrl: shared.url, adminToken }).createTenant({ name: 'team' })
    const { token } = await team.tokens.create({ role: 'write' })
    const { page } = await openConsole(browser, shared.url, screens[0])
    await page.goto(shared.url)
    await page.getByLabel('Admin token').fill(token)
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByRole('button', { name: 'Tenant team. Switch' }).waitFor()
    await page.goto(`${shared.url}/_sandbox/#/demo/leads`)
    await page.getByRole('link', { name: 'Open team' }).click()
    await page.getByRole('heading', { name: 'Begin here' }).waitFor()
    await page.getByRole('link', { name: 'Access' }).click()
    await page.getByText('qa.example').waitFor()
    await page.getByText(/require the admin token/).waitFor()
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
    expect(await violationsOf(page)).toEqual([])

    // The token is deleted with its tenant.
    await page.getByText('Token of team').waitFor()
    await page.getByRole('button', { name: 'Tenant team. Switch' }).click()
    await page.getByRole('button', { name: 'Delete team' }).click()
    await page.getByLabel('Type team to confirm').fill('team')
    await page.getByRole('button', { name: 'Delete team' }).last().click()
    await page.getByRole('heading', { name: 'This sandbox requires a token' }).waitFor()
    expect(await page.getByText('Token of team').count()).toBe(0)
  })

  it("creates a tenant with the sandbox's profile", async () => {
    const formal = await startServer({ port: 0, logLevel: 'silent', profile: 'formal' })
    onTestFinished(() => formal.close())
    const { page } = await openConsole(browser, formal.url, screens[0])
    await page.goto(formal.url)
    await page.getByRole('button', { name: 'Tenant demo. Switch' }).click()
    await page.getByRole('button', { name: 'New tenant' }).click()
    await page.getByLabel('Name').fill('formal-too')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Tenant formal-too. Switch' }).waitFor()
    const { account } = await createSandboxClient({ baseUrl: formal.url }).openTenant('formal-too')
    expect(account.settings.profile).toBe('formal')
  })

  it('asks for the admin token if the sandbox has one, and stays signed in, in every tab, until the user signs out', async () => {
    const shared = await startServer({ port: 0, logLevel: 'silent', adminToken: 'a-token-of-the-test' })
    onTestFinished(() => shared.close())
    const { page } = await openConsole(browser, shared.url, screens[0])
    await page.clock.install()
    await page.goto(shared.url)
    await page.getByLabel('Admin token').fill('a-token-of-the-test')
    // Typed text stays, however long it takes, because nothing is requested without a token.
    await page.clock.fastForward(10_000)
    expect(await page.evaluate(async () => (await fetch('./health')).status)).toBe(200)
    expect(await page.getByLabel('Admin token').inputValue()).toBe('a-token-of-the-test')
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByRole('heading', { name: 'Begin here' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Begin here' }).waitFor()
    const [tab] = await Promise.all([page.waitForEvent('popup'), page.evaluate(() => void open('./'))])
    await tab.getByRole('heading', { name: 'Begin here' }).waitFor()
    expect(await tab.evaluate(() => document.cookie)).toBe('')
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByLabel('Admin token').waitFor()
    await page.getByLabel('Admin token').waitFor()

    const demo = createSandboxClient({ baseUrl: shared.url, adminToken: 'a-token-of-the-test' }).control('demo')
    const { token } = await demo.tokens.create({ role: 'read' })
    await tab.getByLabel('Admin token').fill(token)
    await tab.getByRole('button', { name: 'Open the console' }).click()
    for (const each of [tab, page]) await each.getByText('Token of demo, read-only').waitFor()
    await page.reload()
    await page.getByText('Token of demo, read-only').waitFor()
  })

  it('disables actions that a read-only token does not allow, and says why', async () => {
    const adminToken = 'a-token-of-the-test'
    const shared = await startServer({ port: 0, logLevel: 'silent', adminToken })
    onTestFinished(() => shared.close())
    const team = await createSandboxClient({ baseUrl: shared.url, adminToken }).createTenant({ name: 'team' })
    const { token } = await team.tokens.create({ role: 'read' })
    const { page } = await openConsole(browser, shared.url, screens[0])
    await page.goto(`${shared.url}/_sandbox/#/team/clock`)
    await page.getByLabel('Admin token').fill(token)
    await page.getByRole('button', { name: 'Open the console' }).click()
    const freeze = page.getByRole('button', { name: 'Freeze' }).first()
    await freeze.waitFor()
    expect([await freeze.isDisabled(), await freeze.getAttribute('title')]).toEqual([
      true,
      expect.stringContaining('read-only'),
    ])
    expect(await violationsOf(page)).toEqual([])
    // Its copies would have the word "hidden" in place of keys and URLs.
    const copies = {
      account: ['Copy as .env for the publisher', 'Copy: API key', 'Copy: Callback secret', 'Copy: Receiver'],
      submit: ['curl', 'SDK code'],
      overview: ['Copy: Receiver'],
    }
    for (const [view, names] of Object.entries(copies)) {
      await page.goto(`${shared.url}/_sandbox/#/team/${view}`)
      for (const name of names)
        await page.getByRole('button', { name, exact: true }).and(page.locator(':disabled')).first().waitFor()
    }
    await page.goto(`${shared.url}/_sandbox/#/team/account`)
    await page.getByRole('button', { name: 'Copy: Base URL' }).and(page.locator(':enabled')).waitFor()
    // No form of any view can be sent, except the diagnosis, which changes nothing.
    const lead = await submitLead(team.account, team.testLeads.distributed())
    for (const view of [
      'clock',
      'callbacks',
      'faults',
      'snapshots',
      'account',
      'access',
      'submit',
      `leads/${lead.lead_id}`,
    ]) {
      await page.goto(`${shared.url}/_sandbox/#/team/${view}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await settled(page)
      const enabled = page.locator('#content').locator('[type="submit"]:enabled, [type="file"]:enabled')
      expect(await enabled.allTextContents(), view).toEqual([])
    }
    await page.getByRole('button', { name: 'Tenant team' }).click()
    await page.getByRole('button', { name: 'New tenant' }).and(page.locator(':disabled')).waitFor()
  })

  it.each(['denies', 'lacks', 'fills'] as const)(
    'works without storage, and says what it cannot keep, if the browser %s it',
    async way => {
      const shared = await startServer({ port: 0, logLevel: 'silent', adminToken: 'a-token-of-the-test' })
      onTestFinished(() => shared.close())
      const { page, complaints } = await openConsole(browser, shared.url, screens[0])
      await page.addInitScript(withoutStorage, way)
      await page.goto(shared.url)
      await page.getByLabel('Admin token').fill('a-token-of-another-sandbox')
      await page.getByRole('button', { name: 'Open the console' }).click()
      await page.getByRole('alert').filter({ hasText: "This token isn't valid for this sandbox." }).waitFor()
      await page.getByLabel('Admin token').fill('a-token-of-the-test')
      await page.getByRole('button', { name: 'Open the console' }).click()
      await page.getByRole('heading', { name: 'Begin here' }).waitFor()

      await page.getByRole('button', { name: 'Theme: system. Switch to light' }).click()
      await page.getByText('This browser denies storage: this choice lasts').waitFor()
      await page.getByRole('button', { name: 'Theme: light. Switch to dark' }).waitFor()
      await page.getByRole('link', { name: 'Leads', exact: true }).click()
      await page.getByRole('heading', { name: 'Leads', exact: true }).waitFor()
      expect(await page.locator('html').getAttribute('data-theme')).toBe('light')
      await page.reload()
      await page.getByRole('heading', { name: 'Leads', exact: true }).waitFor()
      expect(complaints.filter(text => !text.includes('401'))).toEqual([])
    },
  )

  it('says that a token is wrong, and accepts another one', async () => {
    const shared = await startServer({ port: 0, logLevel: 'silent', adminToken: 'a-token-of-the-test' })
    onTestFinished(() => shared.close())
    const { page } = await openConsole(browser, shared.url, screens[0])
    await page.goto(shared.url)
    await page.getByLabel('Admin token').fill('a-token-of-another-sandbox')
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByRole('alert').filter({ hasText: "This token isn't valid for this sandbox." }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByLabel('Admin token').fill('a-token-of-the-test')
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByRole('heading', { name: 'Begin here' }).waitFor()
  })

  it('shows a view opened while the server was down, once the server is back', async () => {
    const first = await startServer({ port: 0, logLevel: 'silent' })
    const port = Number(new URL(first.url).port)
    const { page } = await openConsole(await sharedBrowser(), first.url, screens[0])
    await page.goto(`${first.url}/_sandbox/#/demo/leads`)
    await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor()
    await first.close()
    await page.getByRole('link', { name: 'Faults' }).click()
    await page.getByText('Reconnecting').waitFor()
    const again = await startServer({ port, logLevel: 'silent' })
    onTestFinished(() => again.close())
    await page.getByRole('heading', { level: 1, name: 'Faults' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#/demo/faults')
  })
})
