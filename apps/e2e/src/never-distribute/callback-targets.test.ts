import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant, tenantsPath } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

/** Forms of refused addresses, and a host that is not allowed. */
const refused = {
  'a host that is not allowed': ['http://lender.example/lead', '--allow-callback-host lender.example'],
  "a host whose name starts like this machine's": [
    'http://localhost.lender.example/',
    '--allow-callback-host localhost.',
  ],
  'a private address': ['http://10.0.0.1/', '--allow-callback-host 10.0.0.1'],
  'the cloud metadata service': ['http://169.254.169.254/latest/', 'no flag allows it'],
  'the cloud metadata service, IPv4-mapped': ['http://[::ffff:169.254.169.254]/', 'no flag allows it'],
  'the unspecified address': ['http://0.0.0.0:3000/', 'no flag allows it'],
  'a user': ['http://ana:secret@127.0.0.1/', 'a user name'],
  'another scheme': ['ftp://127.0.0.1/', 'http://'],
} as const

inMemory('a callback URL', adapter => {
  it('is refused for any address that no flag allows, both when set and when changed [9/rule-1]', () =>
    eachRow(Object.entries(refused), async (_title, [url, issue]) => {
      const tenant = await createTenant(adapter)
      const body = { callback_url: url }
      const replies = [
        await adapter.request('POST', tenantsPath, { body }),
        await tenant.control('PATCH', '', { body }),
      ]
      for (const { status, json, text } of replies) {
        expect([status, json.details]).toEqual([
          400,
          [{ field: 'callback_url', issue: expect.stringContaining(issue) }],
        ])
        expect(text).not.toContain('secret')
      }
      expect((await tenant.control('GET')).json).toEqual(tenant.account)
    }))
})

/** A receiver that records the raw bytes of each request. */
async function openRawReceiver(): Promise<AsyncDisposable & { readonly host: string; readonly requests: string[] }> {
  const requests: string[] = []
  const server = createServer(socket => {
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', data => {
      text += data.toString('latin1')
      if (text.endsWith('\r\n\r\n')) socket.end('HTTP/1.1 204 No Content\r\n\r\n')
    })
    // Recorded at the end, so that anything after the head is included.
    socket.on('close', () => requests.push(text))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

const customer = {
  'customer.personal_data.first_name': 'Zebulon',
  'customer.personal_data.date_of_birth': '1987-03-09',
  'customer.contact.phone': { country_code: '+34', number: '612345678' },
}

/** The signature headers: the callback's own id, the time, and a digest. */
const signature = {
  'webhook-id': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
  'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
}

describe('a callback through the whole sandbox', () => {
  it.each([
    ['none', {}],
    ['standard_webhooks', signature],
  ])('carries only lead_id, event, and its signature headers: %s', async (callback_signature, signed) => {
    await using receiver = await openRawReceiver()
    const adapter = await openExpressAdapter()
    const creation = { callback_url: `http://${receiver.host}/cb?source=own`, settings: { callback_signature } }
    const tenant = await createTenant(adapter, creation)
    const lead = await tenant.distributedLead(customer)
    // An advertiser's other reported data stays in the sandbox, too.
    await tenant.report(lead, { status: 'converted', metadata: { name: 'Zebulon', amount: 6789 } })
    await tenant.settledCallbacks(lead)
    await expect.poll(() => receiver.requests.length).toBe(1)
    await adapter.close()
    // To the last byte: the request line, each header with its value, and nothing after the empty line.
    const [request = ''] = receiver.requests
    const [line, ...head] = request.replace(/\r\n\r\n$/, '').split('\r\n')
    const headers = Object.fromEntries(
      head.map(each => each.split(': ', 2)).map(([name = '', value]) => [name.toLowerCase(), value]),
    )
    expect(line).toBe(`GET /cb?source=own&lead_id=${lead}&event=converted HTTP/1.1`)
    expect(headers).toEqual({ host: receiver.host, 'user-agent': 'lead-sandbox', connection: 'keep-alive', ...signed })
  })
})
