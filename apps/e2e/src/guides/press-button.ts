import type { Page } from 'playwright-core'
import { hasBrowser, openBrowser } from '../browser/open-browser.ts'

/**
 * Presses a button of an advertiser's page as a customer would, in a real browser; answers what the page then shows.
 * Where no browser is shipped for the machine, the form is sent as the button would send it.
 */
export async function pressButton(url: string, button: string): Promise<string> {
  if (!hasBrowser) return sendForm(url, button)
  const browser = await openBrowser()
  try {
    return await pressOn(await browser.newPage(), url, button)
  } finally {
    await browser.close()
  }
}

async function pressOn(page: Page, url: string, button: string): Promise<string> {
  page.setDefaultTimeout(60_000)
  await page.goto(url)
  await page.getByRole('button', { name: button }).click()
  const reply = page.frameLocator('iframe[name=reply]').locator('body', { hasText: 'lead_id' })
  return (await reply.textContent()) ?? ''
}

async function sendForm(url: string, button: string): Promise<string> {
  const page = await (await fetch(url)).text()
  const action = /<form [^>]*action="([^"]+)"/.exec(page)?.[1]
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1]
  const event = page.match(/<button [^>]*value="\w+">[^<]+/g)?.find(each => each.endsWith(`>${button}`))
  if (!action || !token || !event) throw new Error(`The page has no button ${button}.`)
  const query = new URLSearchParams({ token, event: /value="(\w+)"/.exec(event)?.[1] ?? '' })
  return (await fetch(`${action}?${query}`)).text()
}
