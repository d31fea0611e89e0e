import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { type CreateSandboxOptions, controlOperations, type TenantRecord } from '@lead-distribution/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Editable, editables } from './editable-storage.fixture.ts'
import { sandboxOver, timeOfTests } from './failing-storage.fixture.ts'

/** Returns a function that edits a tenant's record as an object. */
const inRecord = (edit: (record: TenantRecord) => object) => (text: string) => JSON.stringify(edit(JSON.parse(text)))

/** A way to break a tenant, and the reason that is reported. */
interface Break {
  readonly edit: (text: string) => string
  readonly document?: string
  readonly reason: string
  /** True if the seed is readable, and with it the ids and keys. */
  readonly keepsSeed: boolean
  readonly onlyAsText?: boolean
}

const breaks: Record<string, Break> = {
  'a clock without a valid time': {
    document: 'clock',
    edit: () => JSON.stringify({ mode: 'frozen', now: 2 ** 53 - 1 }),
    reason: 'its stored documents: clock.now',
    keepsSeed: true,
  },
  'a clock beyond the maximum time': {
    document: 'clock',
    edit: () => JSON.stringify({ mode: 'running', ahead_ms: 1e308 }),
    reason: 'its stored documents: clock.ahead_ms',
    keepsSeed: true,
  },
  'a document that is not JSON': {
    document: 'faults',
    edit: () => '{"set":1,',
    reason: 'its stored documents: faults',
    keepsSeed: true,
    onlyAsText: true,
  },
  'an empty key': {
    edit: inRecord(record => ({ ...record, publisher: { ...record.publisher, api_key: '' } })),
    reason: 'its stored record: publisher.api_key',
    keepsSeed: true,
  },
  'a record without advertisers': {
    edit: inRecord(({ advertisers: _, ...record }) => record),
    reason: 'its stored record: advertisers',
    keepsSeed: true,
  },
  'a record without a seed': {
    edit: inRecord(({ seed: _, ...record }) => record),
    reason: 'its stored record: seed',
    keepsSeed: false,
  },
  'a record that is not JSON': {
    edit: text => text.slice(0, text.length / 2),
    reason: 'its stored record',
    keepsSeed: false,
    onlyAsText: true,
  },
}

const qa = '/_sandbox/v1/tenants/qa'

/** Opens a sandbox over a storage until the end of the test, and records the errors that it reports. */
async function opened({ open }: Editable, options: Partial<CreateSandboxOptions> = {}) {
  const storage = await open()
  const errors: string[] = []
  const sandbox = await sandboxOver(storage, { onError: error => errors.push(String(error)), ...options })
  let isOpen = true
  const close = async () => {
    if (isOpen) await sandbox.close()
    isOpen = false
  }
  onTestFinished(close)
  const submit = (account: Parameters<typeof createTestLeads>[0], apikey: string) =>
    sandbox.call('POST', '/api/v1/lead', createTestLeads(account, { today: new Date(timeOfTests) }).distributed(), {
      apikey,
    })
  return { ...sandbox, close, storage, errors, submit }
}

/** Creates a storage with the tenants demo, qa and other, then breaks qa, which has a lead. */
async function broken(editable: Editable, { edit, document }: Break) {
  const before = await opened(editable)
  for (const name of ['qa', 'other'])
    await before.call('POST', '/_sandbox/v1/tenants', { name, seed: 7, callback_url: 'http://127.0.0.1:9/callbacks' })
  const account = before.account('qa') ?? expect.fail()
  const { json: lead } = await before.submit(account, account.publisher.api_key)
  await before.close()
  await editable.edit('qa', edit, document)
  return { ...(await opened(editable)), before: account, lead_id: lead.lead_id as string }
}

describe.each(Object.entries(editables))('a tenant that cannot be opened, on %s', (name, create) => {
  const possible = Object.entries(breaks).filter(([, { onlyAsText }]) => !(onlyAsText && name === 'memory'))

  it.each(possible)(
    'with %s is shown as it is, until it is deleted, and every other tenant works',
    async (_title, how) => {
      const { call, account, submit, errors, storage, before, lead_id } = await broken(await create(), how)
      const { json } = await call('GET', '/_sandbox/v1/tenants')
      expect(json.tenants.map(({ tenant }: { tenant: string }) => tenant).sort()).toEqual(['demo', 'other'])
      expect(json.broken).toEqual([{ tenant: 'qa', reason: expect.stringContaining(how.reason) }])
      expect(errors).toEqual([expect.stringContaining(`The tenant qa in ${storage.place} is broken: ${how.reason}`)])
      for (const name of ['demo', 'other']) {
        const other = account(name) ?? expect.fail()
        expect((await submit(other, other.publisher.api_key)).json.status).toBe('distributed')
      }
      for (const [method, path] of [
        ['GET', qa],
        ['PATCH', qa],
        ['GET', `${qa}/leads`],
        ['GET', `${qa}/events`],
      ] as const)
        expect(await call(method, path, method === 'PATCH' ? {} : undefined)).toMatchObject({
          status: 503,
          json: { error: 'tenant_broken', message: expect.stringContaining(how.reason) },
        })
      expect((await call('POST', '/_sandbox/v1/tenants', { name: 'qa' })).json.error).toBe('tenant_exists')
      expect((await call('GET', '/_sandbox/health')).status).toBe(200)
      // The seed still identifies the owner of a key and of a lead.
      const [publisher, advertiser] = [before.publisher.api_key, before.advertisers[0]?.api_key ?? '']
      const status = { status: how.keepsSeed ? 503 : 401 }
      expect(await submit(before, publisher)).toMatchObject(status)
      expect(await call('POST', `/api/v1/lead/${lead_id}/status`, {}, { apikey: advertiser })).toMatchObject(status)
      expect(await call('GET', `/api/v1/lead/${lead_id}/status?event=approved&token=x`)).toMatchObject(status)
      expect(await call('POST', `/api/v1/lead/${lead_id}/status`, {}, { apikey: publisher })).toMatchObject({
        status: 401,
      })

      // The export contains the raw data.
      const raw = await call('GET', `${qa}/raw`)
      if (!storage.readRaw) expect(raw.status).toBe(503)
      else {
        expect(raw.json).toMatchObject({ tenant: 'qa', reason: expect.stringContaining(how.reason) })
        expect(controlOperations.exportRaw.reply.safeParse(raw.json).error).toBeUndefined()
        expect(raw.json.tables.leads.map((row: { lead_id: string }) => row.lead_id)).toEqual([lead_id])
        if (how.document) expect(raw.json.tables.documents).toContainEqual({ name: how.document, value: how.edit('') })
        else if (how.onlyAsText) expect(raw.json.record).toEqual(expect.any(String))
        else expect(raw.json.record).toMatchObject({ tenant: 'qa' })
        expect((await call('GET', '/_sandbox/v1/tenants/other/raw')).status).toBe(404)
      }

      // Deleting it frees its name.
      expect(await call('DELETE', qa)).toMatchObject({ status: 200, json: { deleted: 'qa' } })
      expect((await call('GET', qa)).status).toBe(404)
      expect((await call('GET', '/_sandbox/v1/tenants')).json.broken).toBeUndefined()
      expect((await call('POST', '/_sandbox/v1/tenants', { name: 'qa', seed: 7 })).status).toBe(201)
    },
  )

  it.each(possible)('with %s is reset to the same ids and keys where its seed can be read', async (_title, how) => {
    const { call, account, submit, before, lead_id } = await broken(await create(), how)
    const reset = await call('POST', `${qa}/reset`, {})
    if (!how.keepsSeed) {
      expect(reset).toMatchObject({
        status: 503,
        json: { message: expect.stringContaining('Its seed cannot be read') },
      })
      return
    }
    expect(reset).toEqual(expect.objectContaining({ status: 200, json: account('qa') }))
    const { publisher, advertisers, products } = before
    expect(reset.json).toMatchObject({ publisher: { api_key: publisher.api_key }, advertisers, products })
    expect((await call('GET', '/_sandbox/v1/tenants')).json.broken).toBeUndefined()
    expect((await call('GET', `${qa}/leads/${lead_id}`)).status).toBe(404)
    expect((await submit(before, publisher.api_key)).json.status).toBe('distributed')
  })

  it('may also be the demo tenant, which can be reset but not deleted', async () => {
    const editable = await create()
    await (await opened(editable)).close()
    await editable.edit(
      'demo',
      inRecord(({ seed: _, publisher: __, ...record }) => record),
    )
    const { call, account } = await opened(editable)
    expect(account('demo')).toBeUndefined()
    expect((await call('DELETE', '/_sandbox/v1/tenants/demo')).json.error).toBe('tenant_stays')
    expect((await call('POST', '/_sandbox/v1/tenants/demo/reset')).json).toMatchObject({
      publisher: { api_key: 'sandbox_pub_demo_0000000000000000' },
    })
  })

  it('can be accessed with its own token, as far as it is readable', async () => {
    const editable = await create()
    let drawn = 0
    const before = await opened(editable, { entropy: { bytes: length => new Uint8Array(length).fill(++drawn) } })
    await before.call('POST', '/_sandbox/v1/tenants', { name: 'qa', seed: 7 })
    const tokens = ['read', 'write'].map(async role => {
      const { json } = await before.call('POST', `${qa}/tokens`, { role })
      return { authorization: `Bearer ${json.token}` }
    })
    const [reads, writes] = await Promise.all(tokens)
    await before.close()
    await editable.edit(
      'qa',
      inRecord(({ products: _, ...record }) => record),
    )
    const adminToken = 'a-token-of-an-operator'
    const { call } = await opened(editable, { access: { adminToken } })
    expect((await call('GET', '/_sandbox/v1/tenants', undefined, reads)).json).toMatchObject({
      tenants: [],
      broken: [{ tenant: 'qa' }],
    })
    expect((await call('GET', `${qa}/raw`, undefined, reads)).status).toBe(403)
    expect((await call('POST', `${qa}/reset`, {}, reads)).status).toBe(403)
    expect((await call('POST', `${qa}/reset`, {}, writes)).status).toBe(200)
    expect((await call('GET', qa, undefined, writes)).status).toBe(200)
  })
})
