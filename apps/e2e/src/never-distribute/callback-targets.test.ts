import { createMemoryStorage } from '@lead-distribution/simulator'
import { describe, expect, it } from 'vitest'
import { onEveryAdapter } from '../adapters/every-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant, Tenant, tenantsPath } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

/** Forms of refused addresses, and a host that nobody allowed. */
const refused = {
  'a host that is not allowed': ['http://lender.example/lead', '--allow-callback-host lender.example'],
  'a host whose name begins like this machine': [
    'http://localhost.lender.example/',
    '--allow-callback-host localhost.',
  ],
  'a private address': ['http://10.0.0.1/', '--allow-callback-host 10.0.0.1'],
  'the metadata of clouds': ['http://169.254.169.254/latest/', 'no flag allows it'],
  'the metadata of clouds, in decimal': ['http://2852039166/', 'no flag allows it'],
  'the metadata of clouds, in hexadecimal': ['http://0xA9FEA9FE/', 'no flag allows it'],
  'the metadata of clouds, in octal': ['http://0251.0376.0251.0376/', 'no flag allows it'],
  'the metadata of clouds, mapped': ['http://[::ffff:169.254.169.254]/', 'no flag allows it'],
  'the metadata of clouds, by NAT64': ['http://[64:ff9b::a9fe:a9fe]/', 'no flag allows it'],
  'the metadata of clouds, by 6to4': ['http://[2002:a9fe:a9fe::]/', 'no flag allows it'],
  'the unspecified address': ['http://0.0.0.0:3000/', 'no flag allows it'],
  'the unspecified address of IPv6': ['http://[::]:3000/', 'no flag allows it'],
  'an address of the link': ['http://[fe80::1]/', 'no flag allows it'],
  'a user': ['http://ana:secret@127.0.0.1/', 'no user name'],
  'another scheme': ['ftp://127.0.0.1/', 'http://'],
} as const

onEveryAdapter('a callback URL', adapter => {
  it('is refused with any address that no flag allows, where it is set and where it is changed', () =>
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

describe('a callback URL that is allowed no more', () => {
  it('makes a failed try that names the flag, and nothing is dialled', async () => {
    const storage = createMemoryStorage()
    const dialled: string[] = []
    const dialer = {
      close: () => undefined,
      async get({ url }: { url: string }) {
        dialled.push(url)
        return { status: 200 }
      },
    }
    const kept = { ...storage, close: async () => undefined }
    const before = await openMemoryAdapter({ storage: kept, dialer, allowedCallbackHosts: ['qa.example'] })
    const settings = { callback_retries: [] }
    const { account } = await createTenant(before, { callback_url: 'http://qa.example/cb', settings })
    await before.close()

    const after = await openMemoryAdapter({ storage: kept, dialer })
    const { json } = await after.request('GET', `${tenantsPath}/${account.tenant}`)
    const tenant = new Tenant(after, json)
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    const [{ state, attempts }] = await tenant.settledCallbacks(lead)
    await after.close()
    expect([state, attempts]).toEqual([
      'failed',
      [expect.objectContaining({ error: expect.stringContaining('--allow-callback-host qa.example') })],
    ])
    expect(dialled).toEqual([])
  })
})
