import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { describe, expect, it } from 'vitest'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import { reply, reportedLead, testOddReports } from './odd-replies.fixture.ts'
import { describePrograms, openJourney, run } from './programs.fixture.ts'

const journey = openJourney()

async function leadWithPostback() {
  const tenant = await journey.newTenant()
  const lead = await tenant.distributedLead()
  const url = new URL(await tenant.postback(lead), journey.adapter().url).href
  return { tenant, lead, url, events: async () => (await tenant.lead(lead)).events }
}

describe('the SDK', () =>
  testOddReports(async origin => {
    const baseUrl = `${origin}/api/v1`
    const advertiser = createAdvertiser({ baseUrl, apiKey: null, maxRetries: 1 })
    const url = advertiser.parsePostbackUrl(`${baseUrl}/lead/${reportedLead}/status?token=t`)
    return advertiser.fire(url, { event: 'approved' }).then(
      ({ outcome }) => outcome === 'received',
      () => false,
    )
  }))

describePrograms('postbacks.md', ['sh', 'php', 'python', 'java'], program => {
  const report = (...args: string[]) => run(program, args)

  it('reports an event with a reference, and the repeat is ignored', async () => {
    const { url, events } = await leadWithPostback()
    const ref = 'loan 4711/ñ&event=rejected'
    const first = await report(url, 'approved', ref)
    const second = await report(url, 'approved')
    expect([first.code, second.code]).toEqual([0, 0])
    expect([first.printed, second.printed]).toEqual([
      expect.stringContaining('"status":"received"'),
      expect.stringContaining('"status":"ignored"'),
    ])
    expect(await events()).toMatchObject([{ event: 'approved', ref }])
  })

  it('retries after a server error', async () => {
    const { tenant, url, events } = await leadWithPostback()
    const fault = { match: { operation: 'reportEvent' }, effect: { status: 503 }, times: 1 }
    await tenant.control('POST', '/faults', { body: fault })
    expect(await report(url, 'completed')).toMatchObject({ code: 0 })
    expect(await events()).toMatchObject([{ event: 'completed' }])
  })

  it('retries after a truncated response', async () => {
    await using service = await openReceiver((response, nth) => {
      if (nth > 1) return response.end('{"status":"ignored","lead_id":"x"}')
      response.writeHead(200, { 'content-length': 100 }).write('{')
      response.socket?.end()
    })
    const { code, printed } = await report(`${service.url}/api/v1/lead/x/status?token=t`, 'approved')
    expect(code, printed).toBe(0)
    expect(service.received).toHaveLength(2)
  })

  it('stops after a wrong token, without printing it', async () => {
    const { url, tenant, events } = await leadWithPostback()
    const token = new URL(url).searchParams.get('token') ?? ''
    const wrong = url.replace(/token=..../, 'token=AAAA')
    const { code, printed } = await report(wrong, 'approved')
    expect([code > 0, await events()]).toEqual([true, []])
    expect(printed).toContain('401')
    expect(printed).not.toContain(token.slice(8))
    const { requests } = (await tenant.control('GET', '/requests?operation=reportEvent')).json
    expect(requests).toHaveLength(1)
  })

  it('sends the URL unchanged, with event and reference appended', async () => {
    await using service = await openReceiver(reply(200, { lead_id: 'x', status: 'received' }))
    const path = '/api/v1/lead/x/status?token=a~b==%20c%2Bd'
    expect((await report(`${service.url}${path}`, 'approved', '1&2')).code).toBe(0)
    expect(service.received).toMatchObject([{ method: 'GET', target: `${path}&event=approved&ref=1%262` }])
    expect(service.received[0]?.headers).not.toHaveProperty('apikey')
  })

  it('does not follow redirects', async () => {
    await using elsewhere = await openReceiver()
    await using service = await openReceiver(withStatus(302, { location: elsewhere.url }))
    expect((await report(`${service.url}/api/v1/lead/x/status?token=t`, 'approved')).code).toBeGreaterThan(0)
    expect([service.received.length, elsewhere.received.length]).toEqual([1, 0])
  })

  testOddReports(async origin => {
    const { code } = await report(`${origin}/api/v1/lead/${reportedLead}/status?token=t`, 'approved')
    return code === 0
  })
})
