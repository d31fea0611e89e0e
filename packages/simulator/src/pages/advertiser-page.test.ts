import { describe, expect, it } from 'vitest'
import { openTenantClient } from '../control/tenant-client.fixture.ts'
import { settled } from '../ports.fixture.ts'

/** A distributed lead's page, and functions to open it and submit its form as a browser does. */
async function openPage(options: Parameters<typeof openTenantClient>[1] = {}) {
  const calls = await openTenantClient({ name: 'qa', seed: 'page' }, options)
  const { lead_id, redirect_url } = await calls.submit(calls.leads.distributed)
  const { pathname } = new URL(redirect_url)
  const request = (method: string, target: string, text = '') =>
    calls.sandbox.handle({
      method,
      target,
      body: new TextEncoder().encode(text),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const show = (target = pathname) => request('GET', target)
  const token = async () => /name="token" value="([^"]+)"/.exec((await show()).body)?.[1] ?? ''
  const press = async (event: string, given?: string) =>
    request('POST', pathname, new URLSearchParams({ token: given ?? (await token()), event }).toString())
  return { ...calls, lead_id, pathname, request, show, press }
}

const noteOf = (body: string) =>
  /<section class="note ?([a-z]*)" role="status"><p>(.*?)<\/p>(?:\n<pre>(.*?)<\/pre>)?/.exec(body)

describe("the simulated advertiser's page", () => {
  it('shows the application, and a button for each event with both its names', async () => {
    const { show, lead_id, get } = await openPage()
    const { status, headers, body } = await show()
    expect([status, headers?.['content-type'], headers?.['cache-control']]).toEqual([
      ...[200, 'text/html; charset=utf-8', 'no-store'],
    ])
    expect([headers?.['referrer-policy'], headers?.['x-content-type-options']]).toEqual(['no-referrer', 'nosniff'])
    expect(headers?.['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'/,
    )
    const { submission } = await get(`/leads/${lead_id}`)
    const { loan_amount, loan_term_months, loan_purpose } = submission.product_data
    expect(body).toContain(`${loan_amount} euros over ${loan_term_months} months, ${loan_purpose.replaceAll('_', ' ')}`)
    expect(body).toContain(lead_id)
    const buttons = [...body.matchAll(/<button name="event" value="(\w+)">(.*?)<\/button>/g)].map(([, ...rest]) => rest)
    expect(buttons).toEqual([
      ['registration', 'registration'],
      ['approved', 'approved (loan_issued)'],
      ['rejected', 'rejected (loan_rejected)'],
      ['completed', 'completed (loan_paid)'],
      ['defaulted', 'defaulted (loan_defaulted)'],
    ])
    expect(noteOf(body)).toBeNull()
    expect(body).not.toMatch(/<script|Reported so far|console/)
  })

  it('reports an event by its button, once, and lists it', async () => {
    const { press, show, get, lead_id } = await openPage()
    const [, tone, text, answer] = noteOf((await press('approved')).body) ?? []
    expect([tone, text]).toEqual(['good', 'The service recorded approved, and sends a callback to the publisher.'])
    expect(answer).toContain('200 {')
    const [, again, ignored] = noteOf((await press('approved')).body) ?? []
    expect([again, ignored]).toEqual([
      ...['', 'The service ignored approved: it was already reported, so no second callback is sent.'],
    ])
    await settled()
    expect((await get('/callbacks')).callbacks).toMatchObject([{ lead_id, event: 'loan_issued' }])
    const { body } = await show()
    expect(body).toContain('Reported so far')
    expect(body).toContain('<li>approved <span class="muted">2026-06-15 12:00:00 UTC</span></li>')
  })

  it('shows why the service refused a report, or that a fault broke the connection', async () => {
    const { press, done } = await openPage()
    const [, tone, text] = noteOf((await press('sold<b>')).body) ?? []
    expect(tone).toBe('bad')
    expect(text).toMatch(/^The service refused sold&#60;b&#62; with 400 validation_error\. ./)
    const [, , unauthorized] = noteOf((await press('approved', 'wrong')).body) ?? []
    expect(unauthorized).toContain('with 401 unauthorized.')
    const withFault = async (effect: object) => {
      await done('POST', '/faults', { match: { operation: 'reportEvent' }, effect, times: 1 })
      return noteOf((await press('rejected')).body)?.slice(1)
    }
    expect(await withFault({ reset: true })).toEqual([
      ...['bad', 'The service sent no response to rejected: a fault broke the connection.', undefined],
    ])
    expect((await withFault({ malformed: true }))?.slice(0, 2)).toEqual([
      ...['bad', 'The service responded to rejected with a body that is not JSON.'],
    ])
  })

  it('does not exist for another lead or advertiser, or for an advertiser that declined the lead', async () => {
    const { show, pathname, lead_id, get, account } = await openPage()
    const { deliveries } = await get(`/leads/${lead_id}`)
    const holder = deliveries.find((each: { decision: string }) => each.decision === 'accepted').advertiser_id
    const other = account.advertisers.find(({ advertiser_id }) => advertiser_id !== holder)?.advertiser_id ?? ''
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const path of [
      pathname.replace(lead_id, unknown),
      pathname.replace(holder, unknown),
      pathname.replace(holder, other),
    ]) {
      const { status, body } = await show(path)
      expect([path, status, body.includes('No such application')]).toEqual([path, 404, true])
    }
  })

  it('accepts forms of at most 4 KiB', async () => {
    const { request, pathname } = await openPage()
    expect((await request('POST', pathname, `event=${'x'.repeat(4_090)}`)).status).toBe(200)
    const { status, body } = await request('POST', pathname, `event=${'x'.repeat(4_091)}`)
    expect([status, body]).toEqual([413, expect.stringContaining('at most 4096 bytes')])
  })

  it('links to the lead in the console if there is one', async () => {
    const { show, lead_id } = await openPage({ hasConsole: true })
    expect((await show()).body).toContain(`<a href="http://127.0.0.1:4010/_sandbox/#/qa/leads/${lead_id}">`)
  })
})
