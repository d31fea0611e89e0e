import { type RequestOptions, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Browser } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasBrowser, sharedBrowser } from '../browser/open-browser.ts'
import { eachRow } from '../each-row.ts'
import { applyFor, customer, formBody, type Loop, openLoop } from './example-loop.ts'
import type { RunningExample } from './run-example.ts'

let browser: Browser
let loop: Loop
let publisher: RunningExample
let site: string
let operator: string
beforeAll(async () => {
  if (hasBrowser) browser = await sharedBrowser()
})
beforeEach(async () => {
  loop = await openLoop()
  await restart()
})
afterEach(() => loop.close())

async function restart(): Promise<void> {
  publisher = await loop.startPublisher()
  site = publisher.urls.site ?? ''
  operator = publisher.urls.operator ?? ''
}

/** Sends the form as a browser does, without following the redirect. */
async function post(id: string): Promise<string | null> {
  const body = formBody(id, `${site}/`)
  const reply = await fetch(`${site}/apply`, { method: 'POST', body, redirect: 'manual' })
  expect(reply.status).toBe(303)
  return reply.headers.get('location')
}

/** Sends a request whose `Host` `fetch` would not let us choose. */
function askAs(options: RequestOptions, body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(options, response => text(response).then(resolve, reject)).on('error', reject)
    sent.end(body)
  })
}

const textOf = async (url: string) => (await fetch(url)).text()
const sendAgain = (id: string) => fetch(`${operator}/send-again`, { method: 'POST', body: new URLSearchParams({ id }) })
const id = '0b8f7c1e-5d1a-4c55-9a70-2b7d0f6f1c11'

describe.skipIf(!hasBrowser)("the example publisher's customer, in a browser", () => {
  it('is asked not to send again when the reply is lost, and sees the callback that was parked', async () => {
    await loop.fault('submitLead', { lost_reply: true })
    const page = await applyFor(browser, site)
    await page.getByText('Please do not send it again').waitFor()
    await page.reload()
    await page.getByText('Please do not send it again').waitFor()

    const { lead_id } = await loop.onlyLead()
    await loop.tenant.pixel(lead_id, 'approved')
    expect(await loop.tenant.settledCallbacks(lead_id)).toMatchObject([{ state: 'delivered' }])
    await page.reload()
    expect(await page.locator('ol li').count()).toBe(0)

    const staff = await browser.newPage()
    await staff.goto(operator)
    expect(await staff.locator('tr', { hasText: lead_id }).textContent()).toContain('approved')
    await staff.getByRole('button', { name: 'Send again' }).click()
    await staff.getByRole('cell', { name: 'unknown' }).waitFor()
    await staff.getByRole('button', { name: 'Belongs to' }).click()
    await staff.getByRole('cell', { name: 'new' }).waitFor()

    await page.reload()
    expect(await page.locator('ol li').allTextContents()).toEqual(['Your loan is approved.'])
    expect((await loop.onlyLead()).lead_id).toBe(lead_id)
    await staff.close()
    await page.close()
  })
})

describe('the example publisher', () => {
  it('sends two equal forms at once as one lead, and answers both alike', async () => {
    await loop.fault('submitLead', { latency_ms: 200 })
    const [first, second] = await Promise.all([post(id), post(id)])
    expect([first, await post(id)]).toEqual([second, second])
    expect((await loop.onlyLead()).redirect_url).toBe(first)
    expect((await loop.tenant.control('GET', '/requests')).json.requests).toHaveLength(1)
  })

  it('says in its log, and not to the customer, what no customer can correct', async () => {
    await publisher.end()
    publisher = await loop.startPublisher({ PRODUCT_ID: 'none' })
    site = publisher.urls.site ?? ''
    expect(await post(id)).toBe(`/application/${id}`)
    expect(await textOf(`${site}/application/${id}`)).toContain('There is no need to send it again')
    expect(publisher.said()).toContain(`application ${id}: no answer, validation`)
  })

  it.each<[string, Record<string, string>, () => string]>([
    ['its own address', {}, () => site],
    ['its public address', { SITE_ORIGIN: 'https://loans.example/' }, () => 'https://loans.example'],
  ])('records consent to the documents at %s, whatever host a request names', async (_name, more, origin) => {
    await publisher.end()
    publisher = await loop.startPublisher(more)
    site = publisher.urls.site ?? ''
    const body = String(formBody(id, `${site}/`))
    const { hostname, port } = new URL(site)
    const type = 'application/x-www-form-urlencoded'
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'content-type': type }
    const get = await askAs({ hostname, port, headers: { host: 'evil.example' } })
    expect(get).toContain(`${origin()}/`)
    expect(get).not.toContain('evil')
    await askAs({ hostname, port, path: '/apply', method: 'POST', headers }, body)
    const { entries } = (await loop.onlyLead()).submission.consents
    expect(entries.length).toBeGreaterThan(0)
    for (const { document_url } of entries) expect(document_url.startsWith(`${origin()}/documents/`)).toBe(true)
  })

  it.each(['loans.example', 'ftp://loans.example', 'https://loans.example/shop', 'https://a:b@loans.example'])(
    'does not start with the origin %s',
    async SITE_ORIGIN => {
      await expect(loop.startPublisher({ SITE_ORIGIN })).rejects.toThrow('SITE_ORIGIN must be a scheme and a host')
    },
  )

  it('keeps an application that the service did not take, and sends it again', async () => {
    await loop.fault('submitLead', { status: 429, retry_after: 0 }, 3)
    expect(await post(id)).toBe(`/application/${id}`)
    expect(await textOf(`${site}/application/${id}`)).toContain('There is no need to send it again')
    await sendAgain(id)
    expect(await textOf(`${site}/application/${id}`)).toContain((await loop.onlyLead()).redirect_url)
  })

  it('sends again by itself, when it starts, what the service did not take', async () => {
    await loop.fault('submitLead', { status: 429, retry_after: 0 }, 3)
    await post(id)
    expect(await publisher.end()).toEqual([0, null])
    await restart()
    await expect.poll(() => textOf(`${site}/application/${id}`)).toContain('To the lender')
  })

  it('finds out by sending again whether a lead of unknown outcome arrived', async () => {
    await loop.fault('submitLead', { reset: true })
    await post(id)
    expect(await textOf(operator)).toContain('<td>unknown')
    await sendAgain(id)
    expect(await textOf(operator)).toContain('<td>distributed')
  })

  it('does not know, once it was killed on the way, whether the service has the lead, and never calls it refused', async () => {
    const acted = await loop.fault('submitLead', { timeout: true })
    const hanging = post(id).catch(() => undefined)
    await acted()
    expect(await publisher.end('SIGKILL')).toEqual([null, 'SIGKILL'])
    await hanging
    // As if it had arrived all the same.
    const { json } = await loop.tenant.submit({}, customer.email)
    await restart()
    expect(await textOf(operator)).toContain('<td>unknown')
    await sendAgain(id)
    expect(await textOf(`${site}/application/${id}`)).toContain('Please do not send it again')
    expect((await loop.onlyLead()).lead_id).toBe(json.lead_id)
  })

  it('takes a callback only with its secret, and each event once, over a restart too', async () => {
    await post(id)
    const { lead_id } = await loop.onlyLead()
    const wrong = `${site}/callbacks/${'x'.repeat(43)}?lead_id=${lead_id}&event=loan_issued`
    expect((await fetch(wrong)).status).toBe(404)
    await loop.fault('callback', { duplicate: 2 })
    await loop.tenant.pixel(lead_id, 'approved')
    await loop.tenant.settledCallbacks(lead_id)
    await publisher.end()
    await restart()
    const again = `${loop.tenant.account.publisher.callback_url}?lead_id=${lead_id}&event=approved`
    expect((await fetch(again)).status).toBe(200)
    const page = await textOf(`${site}/application/${id}`)
    expect(page.match(/Your loan is approved/g)).toHaveLength(1)
  })

  it('lets no page of elsewhere press the buttons of its staff', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await fetch(`${operator}/send-again`, { method: 'POST', headers })).status).toBe(403)
  })

  it('does not start without a variable that it needs, and names it', async () => {
    const names = ['LEAD_BASE_URL', 'PUBLISHER_ID', 'PRODUCT_ID', 'CALLBACK_SECRETS']
    await eachRow(names, async name => {
      await expect(loop.startPublisher({ [name]: '' })).rejects.toThrow(`${name} is missing`)
    })
  })
})
