import { execFileSync } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import chromiumBinary from '@sparticuz/chromium'
import { type CDPSession, chromium, type Page } from 'playwright-core'
import { startSandboxOn, temporaryFolder } from './servers.ts'
import { addressOf, fillWithLeads, sqliteStore } from './stored-leads.ts'

/** The maximum time to scroll the list, with the wheel and with the keyboard, milliseconds. */
const scrollMs = 30_000
const mebibyte = 1_048_576

/**
 * Measures a long list of leads in headless Chromium: opening it, scrolling it by wheel and by keyboard, and filtering
 * it. Reports the longest task of the page's main thread, its requests and its memory for each step.
 */
export async function measureConsole(leads: number): Promise<void> {
  execFileSync(process.execPath, ['.ci/build-pages.mjs'])
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'sandbox.db')
  const start = performance.now()
  await fillWithLeads(sqliteStore(file), 0, leads)
  const seconds = (performance.now() - start) / 1000
  const { size } = await stat(file)
  console.log(
    `\n${leads.toLocaleString('en')} leads in ${(size / mebibyte).toFixed(0)} MiB, filled in ${seconds.toFixed(0)} s`,
  )
  await measurePage(file, leads)
}

async function measurePage(file: string, leads: number): Promise<void> {
  await using sandbox = await startSandboxOn(file)
  const browser = await chromium.launch({
    executablePath: await chromiumBinary.executablePath(),
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-gpu'],
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.addInitScript(watchTasks)
    const measure = createMeter(page, await page.context().newCDPSession(page))
    await measure('open', async () => {
      await page.goto(`http://127.0.0.1:${sandbox.port}/_sandbox/#/demo/leads`)
      await page.locator('tr.row').first().waitFor()
    })
    await measure('wheel', () => scroll(page, () => page.mouse.wheel(0, 4_000)))
    await page.reload()
    await page.locator('tr.row').first().waitFor()
    await measure('keyboard', () => scroll(page, () => page.keyboard.press('End')))
    await measure('filter by status', async () => {
      await page.getByText('Rejected', { exact: true }).first().click()
      // The newest rejected lead.
      await rowWith(page, addressOf(leads - 10))
    })
    await measure('find the oldest', async () => {
      await page.getByText('All', { exact: true }).first().click()
      await page.getByLabel('Customer').fill('stored-2@')
      await rowWith(page, addressOf(2))
    })
  } finally {
    await browser.close()
  }
}

const rowWith = (page: Page, text: string) => page.locator('tr.row', { hasText: text }).waitFor({ timeout: 300_000 })

/** Scrolls until the oldest lead is in view or the time is up. */
async function scroll(page: Page, onwards: () => Promise<void>): Promise<string> {
  const scroller = page.locator('.table-scroll')
  await scroller.hover()
  await scroller.focus()
  const oldest = page.locator('tr.row', { hasText: addressOf(0) })
  for (const end = performance.now() + scrollMs; performance.now() < end; await pause(16)) {
    await onwards()
    if ((await oldest.count()) > 0) return 'the end'
  }
  const last = Number(await page.locator('tr.row').last().getAttribute('aria-rowindex'))
  return `row ${last.toLocaleString('en')}`
}

/** Records each task of the main thread that takes at least 50 ms. */
const watchTasks = `
  globalThis.longTasks = []
  new PerformanceObserver(list => {
    for (const { duration } of list.getEntries()) longTasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })`

/**
 * Runs a step and prints its duration, the longest task and the sum of all tasks, the number of requests, and the heap
 * after a garbage collection.
 */
function createMeter(page: Page, devtools: CDPSession) {
  let requests = 0
  page.on('request', () => requests++)
  return async (name: string, step: () => Promise<unknown>): Promise<void> => {
    const before = requests
    await page.evaluate('globalThis.longTasks && (longTasks.length = 0)')
    const start = performance.now()
    const reached = String((await step()) ?? '')
    const ms = performance.now() - start
    const tasks = (await page.evaluate('longTasks')) as number[]
    await devtools.send('HeapProfiler.collectGarbage')
    const { usedSize } = await devtools.send('Runtime.getHeapUsage')
    const blocked = tasks.reduce((sum, task) => sum + task, 0)
    console.log(
      `  ${name.padEnd(18)} ${ms.toFixed(0).padStart(7)} ms   longest task ${Math.max(0, ...tasks).toFixed(0)} ms of ${blocked.toFixed(0)} in ${tasks.length}   ${requests - before} requests   heap ${(usedSize / mebibyte).toFixed(0)} MiB   ${reached}`,
    )
  }
}
