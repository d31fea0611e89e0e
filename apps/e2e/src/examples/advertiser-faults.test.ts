import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eachRow } from '../each-row.ts'
import { type Loop, openLoop } from './example-loop.ts'
import type { RunningExample } from './run-example.ts'

let loop: Loop
let example: RunningExample
let lead: string
beforeEach(async () => {
  loop = await openLoop()
  example = await loop.startAdvertiser()
  lead = await loop.tenant.distributedLead()
})
afterEach(() => loop.close())

/** Delivers a lead as the service does. */
async function deliver(postback_url: string, token = loop.deliveryToken) {
  const reply = await fetch(`${example.urls.site}/leads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ postback_url, amount: 5000, term_months: 24 }),
  })
  return { status: reply.status, body: (await reply.json()) as { lead_id?: string; wrong?: string } }
}

/** Presses a button of the console. */
async function press(path: string, headers: Record<string, string> = {}): Promise<number> {
  const reply = await fetch(`${example.urls.console}${path}`, { method: 'POST', headers, redirect: 'manual' })
  return reply.status
}

const shown = async () => (await fetch(example.urls.console ?? '')).text()
const shows = (text: string) => expect.poll(shown).toContain(text)
const events = async () => (await loop.tenant.lead(lead)).events

describe('the example advertiser', () => {
  it('loses nothing when it is killed between what it recorded and what it reports', async () => {
    await deliver(await loop.postbackUrl(lead))
    const acted = await loop.fault('reportEvent', { timeout: true })
    expect(await press(`/leads/${lead}/approved`)).toBe(303)
    await acted()
    expect(await example.end('SIGKILL')).toEqual([null, 'SIGKILL'])
    expect(await events()).toEqual([])
    example = await loop.startAdvertiser()
    await shows('approved: received')
    expect(await events()).toMatchObject([{ event: 'approved', via: 'pixel', ref: 'loan-1' }])
  })

  it('reports a step once, however often its button is pressed', async () => {
    await deliver(await loop.postbackUrl(lead))
    const pressed = await Promise.all([1, 2, 3].map(() => press(`/leads/${lead}/approved`)))
    expect(pressed).toEqual([303, 303, 303])
    await shows('approved: received')
    expect((await shown()).match(/approved: /g)).toHaveLength(1)
    expect(await events()).toHaveLength(1)
  })

  it('keeps a report whose reply is lost in the outbox, and those behind it in their order', async () => {
    await deliver(await loop.postbackUrl(lead))
    // Two rounds of the outbox, with three tries of the SDK each.
    const acted = await loop.fault('reportEvent', { lost_reply: true }, 6)
    await press(`/leads/${lead}/approved`)
    await shows('approved: waiting, last try: outcome_unknown')
    await press(`/leads/${lead}/completed`)
    await acted()
    const reported = async () => (await events()).map(({ event }: { event: string }) => event)
    expect(await reported()).toEqual(['approved'])
    await press('/try-again')
    await shows('completed: received')
    expect(await shown()).toContain('approved: ignored')
    expect(await reported()).toEqual(['approved', 'completed'])
  })

  it('reports with its key what the postback URL is refused for', async () => {
    const url = await loop.postbackUrl(lead)
    await deliver(`${url.slice(0, -1)}${url.endsWith('0') ? '1' : '0'}`)
    await press(`/leads/${lead}/approved`)
    await shows('approved: reported')
    expect(await events()).toMatchObject([{ via: 'body', metadata: { amount: 5000, term_months: 24 } }])
  })

  it('takes a lead only with the agreed token, and once', async () => {
    const url = await loop.postbackUrl(lead)
    expect((await deliver(url, 'wrong')).status).toBe(401)
    expect(await shown()).not.toContain(lead)
    expect((await deliver(url)).status).toBe(201)
    await press(`/leads/${lead}/rejected`)
    expect(await deliver(url)).toEqual({ status: 201, body: { lead_id: lead } })
    expect(await shown()).toContain('<td>rejected</td>')
  })

  it('says what is wrong with a postback URL when the lead arrives, without its token', async () => {
    const url = await loop.postbackUrl(lead)
    const token = new URL(url).searchParams.get('token') ?? ''
    const { status, body } = await deliver(url.replace('/status', '/state'))
    expect([status, body.wrong?.includes(token)]).toEqual([422, false])
    expect(body.wrong).toContain('path')
  })

  it('lets no loan skip a step, and no page of elsewhere take one', async () => {
    await deliver(await loop.postbackUrl(lead))
    expect(await press(`/leads/${lead}/completed`)).toBe(409)
    expect(await press(`/leads/${lead}/approved`, { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await press('/leads/0b8f7c1e-5d1a-4c55-9a70-2b7d0f6f1c11/approved')).toBe(404)
    expect(await shown()).toContain('<td>received</td>')
    expect(await events()).toEqual([])
  })

  it('does not start without a variable that it needs, and names it', async () => {
    await eachRow(['LEAD_BASE_URL', 'DELIVERY_TOKEN'], async name => {
      await expect(loop.startAdvertiser({ [name]: '' })).rejects.toThrow(`${name} is missing`)
    })
  })
})
