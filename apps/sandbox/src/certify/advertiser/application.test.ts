import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAdvertiserDriver } from './application.ts'

const lead = {
  lead_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  postback_url: 'http://127.0.0.1:1/p?token=t',
  status_url: 'http://127.0.0.1:1/s',
  amount: 5000,
  term_months: 24,
}
const drive = createAdvertiserDriver({ allowedHosts: [], environment: { LEAD_BASE_URL: 'base' }, timeoutMs: 300 })

describe('a command', () => {
  it('has the lead and the event in its environment', async () => {
    const test = `test "$EVENT $LEAD_ID $POSTBACK_URL $STATUS_URL $AMOUNT $TERM_MONTHS $LEAD_BASE_URL" = "approved ${lead.lead_id} ${lead.postback_url} ${lead.status_url} 5000 24 base"`
    expect(await drive(test, lead, 'approved')).toBeUndefined()
    expect(await drive(test, lead, 'rejected')).toBe('The command ended with 1.')
  })

  it('is ended when it takes too long', async () => {
    expect(await drive('sleep 60', lead, 'approved')).toBe('The command was not done after 0.3 s.')
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
    expect(await drive(`${url}/no`, lead, 'approved')).toBe('The application answered 500.')
    expect(await drive('http://127.0.0.1:1', lead, 'approved')).toMatch(/did not answer/)
  })

  it('is on this machine, or on a host that was named', async () => {
    await expect(drive('http://advertiser.example/report', lead, 'approved')).rejects.toThrow(/host/i)
  })
})
