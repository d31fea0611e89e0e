import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openSqliteAdapter } from '../adapters/every-adapter.ts'
import { exchangeRaw } from '../adapters/sockets.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

describe('a fault on a raw socket', () => {
  let adapter: Adapter

  beforeAll(async () => {
    adapter = await openSqliteAdapter()
  })
  afterAll(() => adapter.close())

  /** A submission as it goes over the wire, and all that came back up to the end of the connection. */
  async function submitRaw(tenant: Tenant, email: string): Promise<string> {
    const body = JSON.stringify(tenant.body({}, email))
    const head = [
      'POST /api/v1/lead HTTP/1.1',
      'host: 127.0.0.1',
      `apikey: ${tenant.publisherKey}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
    ]
    return exchangeRaw(adapter.url, { chunks: [`${head.join('\r\n')}\r\n\r\n${body}`], until: /\}$/ })
  }
  const faulty = async (effect: object) => {
    const tenant = await createTenant(adapter)
    const body = { match: { operation: 'submitLead' }, effect, times: 1 }
    expect((await tenant.control('POST', '/faults', { body })).status).toBe(201)
    return tenant
  }
  const emails = async (tenant: Tenant) =>
    (await tenant.control('GET', '/leads')).json.leads.map(
      (lead: { submission: { customer: { contact: { email: { address: string } } } } }) =>
        lead.submission.customer.contact.email.address,
    )

  it('that loses the reply sends no byte of one, and the lead is stored: the resend gets to know', async () => {
    const tenant = await faulty({ lost_reply: true })
    expect(await submitRaw(tenant, 'ana@example.com')).toBe('')
    expect(await emails(tenant)).toEqual(['ana@example.com'])
    expect(await submitRaw(tenant, 'ana@example.com')).toContain('customer_already_exists')
  })

  it('that resets sends no byte of a reply, and nothing is stored: the resend gets its lead', async () => {
    const tenant = await faulty({ reset: true })
    expect(await submitRaw(tenant, 'ana@example.com')).toBe('')
    expect(await emails(tenant)).toEqual([])
    expect(await submitRaw(tenant, 'ana@example.com')).toContain('"distributed"')
  })

  it('that garbles the reply says its true length, so that the reader does not wait', async () => {
    const tenant = await faulty({ malformed: true })
    const body = JSON.stringify(tenant.body({}, 'ana@example.com'))
    const reply = await exchangeRaw(adapter.url, {
      chunks: [
        `POST /api/v1/lead HTTP/1.1\r\nhost: 127.0.0.1\r\napikey: ${tenant.publisherKey}\r\nconnection: close\r\n` +
          `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      ],
    })
    const [head = '', text = ''] = reply.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 200 /)
    expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBe(text.length)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  })
})
