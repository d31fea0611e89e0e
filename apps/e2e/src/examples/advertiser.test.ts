import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Loop, openLoop } from './open-loop.ts'

let loop: Loop
let backEnd: string
let lead_id: string
beforeEach(async () => {
  loop = await openLoop()
  backEnd = await loop.startAdvertiser()
  lead_id = await loop.tenant.distributedLead()
})
afterEach(() => loop.close())

const post = (path: string, body: object) =>
  fetch(`${backEnd}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const report = async (event: string) => (await post('/staff/report', { lead_id, event })).status
const loan = async () => (await fetch(`${backEnd}/staff/leads/${lead_id}`)).json()
const reports = (expected: object) => expect.poll(async () => (await loan()).reports).toEqual(expected)
const events = async () => (await loop.tenant.lead(lead_id)).events

describe('the example advertiser', () => {
  it('accepts the leads that the sandbox forwards', async () => {
    expect(await loan()).toEqual({ amount: 5000, term_months: 24, reports: {} })
    expect((await fetch(`${backEnd}/staff/leads/none`)).status).toBe(404)
  })

  it('reports an event once, however often it is requested', async () => {
    expect(await Promise.all([1, 2, 3].map(() => report('approved')))).toEqual([202, 202, 202])
    await reports({ approved: 'received' })
    expect(await events()).toMatchObject([{ event: 'approved', via: 'pixel', ref: `loan-${lead_id.slice(0, 8)}` }])
    expect(await report('converted')).toBe(422)
  })

  it('retries a report whose reply is lost, and keeps later ones in order', async () => {
    await loop.fault('reportEvent', { lost_reply: true }, 2)
    await report('approved')
    await report('completed')
    await reports({ approved: 'ignored', completed: 'received' })
    expect((await events()).map(({ event }: { event: string }) => event)).toEqual(['approved', 'completed'])
  })

  it('reports with its key an event that the postback URL is refused for', async () => {
    await loop.fault('reportEvent', { status: 401 })
    await report('approved')
    await reports({ approved: 'reported' })
    expect(await events()).toMatchObject([{ via: 'body', metadata: { amount: 5000, term_months: 24 } }])
  })

  it('reports a refused event again on request', async () => {
    await loop.fault('reportEvent', { status: 400 })
    await report('approved')
    await reports({ approved: 'failed' })
    await report('approved')
    await reports({ approved: 'received' })
  })

  it('reports a broken postback URL when the lead arrives, without its token', async () => {
    const url = `${loop.adapter.url}${await loop.tenant.postback(lead_id)}`
    const token = new URL(url).searchParams.get('token') ?? ''
    const response = await post('/leads', { postback_url: url.replace('/status', '/state') })
    const { error } = await response.json()
    expect([response.status, error.includes('path'), error.includes(token)]).toEqual([422, true, false])
  })
})
