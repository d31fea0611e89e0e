import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RecordedCall } from '../certify-sandbox.ts'
import { createAdvertiserDriver, reportOf } from './round.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const read = (method: string, target: string, body = '') => {
  const call: RecordedCall = { method, target, headers: {}, body, at: 0 }
  const { form, name, event, token } = reportOf(call) ?? {}
  return [form, name, event, token]
}

describe('a call about a lead', () => {
  it.each<[string, string, string, unknown[]]>([
    ['GET', 'status?token=t%7E&event=loan_issued', '', ['pixel', 'loan_issued', 'approved', 't~']],
    ['HEAD', 'status?event=approved', '', ['pixel', 'approved', 'approved', undefined]],
    ['POST', 'status?token=t&event=nonsense', '', ['pixel', 'nonsense', 'nonsense', 't']],
    ['PATCH', 'status', '{"status":"loan_paid"}', ['body', 'loan_paid', 'completed', undefined]],
    ['POST', 'status', 'status=approved', ['body', undefined, undefined, undefined]],
    ['POST', 'status', '{"status":7}', ['body', undefined, undefined, undefined]],
    ['POST', 'status', 'null', ['body', undefined, undefined, undefined]],
    ['GET', 'state', '', ['pixel', undefined, undefined, undefined]],
  ])('%s %s %s is read', (method, place, body, expected) => {
    expect(read(method, `/api/v1/lead/${lead_id}/${place}`, body)).toEqual(expected)
  })

  it('has the id in lower case, and is none without one', () => {
    const target = `/api/v1/lead/${lead_id.toUpperCase()}/status`
    expect(reportOf({ method: 'GET', target, headers: {}, body: '', at: 0 })?.lead_id).toBe(lead_id)
    expect(reportOf({ method: 'POST', target: '/api/v1/lead', headers: {}, body: '', at: 0 })).toBeUndefined()
  })
})

const lead = {
  lead_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  postback_url: 'http://127.0.0.1:1/p?token=t',
  status_url: 'http://127.0.0.1:1/s',
  amount: 5000,
  term_months: 24,
}
const driveWithin = (timeoutMs: number) =>
  createAdvertiserDriver({ allowedHosts: [], environment: { LEAD_BASE_URL: 'base' }, timeoutMs })
const drive = driveWithin(60_000)

describe('a command', () => {
  it('has the lead and the event in its environment', async () => {
    const test = `test "$EVENT $LEAD_ID $POSTBACK_URL $STATUS_URL $AMOUNT $TERM_MONTHS $LEAD_BASE_URL" = "approved ${lead.lead_id} ${lead.postback_url} ${lead.status_url} 5000 24 base"`
    expect(await drive(test, lead, 'approved')).toBeUndefined()
    expect(await drive(test, lead, 'rejected')).toBe('The command exited with code 1.')
  })

  it('is ended when it takes too long', async () => {
    expect(await driveWithin(300)('sleep 60', lead, 'approved')).toBe('The command did not finish within 0.3 s.')
  })
})

describe('a URL', () => {
  let got = ''
  const server = createServer(async (request, response) => {
    got = `${request.method} ${await text(request)}`
    response.writeHead(request.url === '/no' ? 500 : 204).end()
  })
  let url = ''
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  it('gets them as JSON', async () => {
    expect(await drive(url, lead, 'approved')).toBeUndefined()
    expect(got).toBe(`POST ${JSON.stringify({ ...lead, event: 'approved' })}`)
  })

  it('reports its response where that is an error', async () => {
    expect(await drive(`${url}/no`, lead, 'approved')).toBe('The application responded 500.')
    expect(await drive('http://127.0.0.1:1', lead, 'approved')).toMatch(/did not respond/)
  })

  it('is on this machine, or on a host that was named', async () => {
    await expect(drive('http://advertiser.example/report', lead, 'approved')).rejects.toThrow(/host/i)
  })
})
