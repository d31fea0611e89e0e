import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Editable, editables } from './editable-storage.fixture.ts'
import { sandboxOver, timeOfTests } from './failing-storage.fixture.ts'

const tenants = '/_sandbox/v1/tenants'
const minute = 60_000

interface Named {
  readonly tenant: string
}

/** A sandbox over what is stored, at some time after the start of the test; closed with the test. */
async function openedAt({ open }: Editable, ms: number, adminToken?: string) {
  const at = timeOfTests + ms
  const { call, account, close } = await sandboxOver(await open(), {
    clock: { now: () => at },
    access: { adminToken },
  })
  let isOpen = true
  const closeOnce = async () => {
    if (isOpen) await close()
    isOpen = false
  }
  onTestFinished(closeOnce)
  const by = (token: string | undefined) => (method: string, path: string, body?: object) =>
    call(method, `${tenants}${path}`, body, token === undefined ? {} : { authorization: `Bearer ${token}` })
  const control = by(adminToken)
  const submit = async (apikey: string) => {
    const tenant = account('qa') ?? expect.fail('There is no tenant qa.')
    const lead = createTestLeads(tenant, { today: new Date(at) }).distributed()
    return (await call('POST', '/api/v1/lead', lead, { apikey })).status
  }
  const leads = async () => (await control('GET', '/qa/leads')).json.leads.length
  const snapshots = async () =>
    (await control('GET', '/qa/snapshots')).json.snapshots.map(({ name }: { name: string }) => name)
  const names = async () => (await control('GET', '')).json.tenants.map(({ tenant }: Named) => tenant)
  return { control, by, submit, leads, snapshots, names, close: closeOnce }
}

/** A sandbox with the tenant qa, which has a lead. */
async function withLead(editable: Editable, adminToken?: string) {
  const sandbox = await openedAt(editable, 0, adminToken)
  const { publisher } = (await sandbox.control('POST', '', { name: 'qa' })).json
  const apiKey: string = publisher.api_key
  expect(await sandbox.submit(apiKey)).toBe(200)
  return { ...sandbox, apiKey }
}

describe.each(Object.entries(editables))('undo, on %s', (_storage, create) => {
  it('takes a reset back by the snapshot that its response names', async () => {
    const { control, leads, snapshots } = await withLead(await create())
    const { json } = await control('POST', '/qa/reset?undo=true')
    expect(json.undo).toEqual({
      snapshot: expect.stringMatching(/^before-reset-/),
      expires_at: new Date(timeOfTests + 60 * minute).toISOString(),
    })
    expect([await leads(), await snapshots()]).toEqual([0, [json.undo.snapshot]])
    expect((await control('POST', `/qa/snapshots/${json.undo.snapshot}/restore`)).status).toBe(200)
    expect(await leads()).toBe(1)
  })

  it('takes a restore back, and keeps nothing unless it is asked to', async () => {
    const { control, submit, apiKey, leads, snapshots } = await withLead(await create())
    await control('POST', '/qa/snapshots', { name: 'one' })
    await submit(apiKey)
    const { json } = await control('POST', '/qa/snapshots/one/restore?undo=true')
    expect([json.undo.snapshot, await leads()]).toEqual([expect.stringMatching(/^before-restore-/), 1])
    await control('POST', `/qa/snapshots/${json.undo.snapshot}/restore`)
    expect(await leads()).toBe(2)
    expect((await control('POST', '/qa/reset')).json).not.toHaveProperty('undo')
    expect(await snapshots()).toEqual(['one', json.undo.snapshot])
  })

  it('keeps the newest three automatic snapshots, which take no place of the others, for an hour', async () => {
    const editable = await create()
    const { control, snapshots, close } = await withLead(editable)
    for (let nth = 0; nth < 100; nth++) await control('POST', '/qa/snapshots', { name: `own-${nth}` })
    const kept = []
    for (let nth = 0; nth < 4; nth++) kept.push((await control('POST', '/qa/reset?undo=true')).json.undo.snapshot)
    expect((await snapshots()).slice(100)).toEqual(kept.slice(1))
    await control('DELETE', '/qa/snapshots/own-0')
    expect((await control('POST', '/qa/snapshots', { name: 'own-0' })).status).toBe(201)
    await close()
    const before = await openedAt(editable, 59 * minute)
    expect(await before.snapshots()).toHaveLength(103)
    await before.close()
    const after = await openedAt(editable, 61 * minute)
    await expect.poll(after.snapshots).toHaveLength(100)
  })

  it('brings a deleted tenant back within the hour, with its leads, keys, snapshots and tokens', async () => {
    const editable = await create()
    const { control, names, close, apiKey } = await withLead(editable, 'admin')
    const { token } = (await control('POST', '/qa/tokens', { role: 'write' })).json
    await control('POST', '/qa/snapshots', { name: 'one' })
    expect((await control('DELETE', '/qa?undo=true')).json).toEqual({
      deleted: 'qa',
      undo: { expires_at: new Date(timeOfTests + 60 * minute).toISOString() },
    })
    expect([await names(), (await control('GET', '/qa')).status]).toEqual([['demo'], 404])
    await close()
    const later = await openedAt(editable, 59 * minute, 'admin')
    expect(await later.names()).toEqual(['demo'])
    expect((await later.by(token)('GET', '/qa')).status).toBe(404)
    expect((await later.by(token)('POST', '/other/undelete')).status).toBe(403)
    expect((await later.by(token)('POST', '/qa/undelete')).json.publisher.api_key).toBe(apiKey)
    expect([await later.leads(), await later.snapshots(), await later.submit(apiKey)]).toEqual([1, ['one'], 200])
    expect((await later.by(token)('GET', '/qa')).status).toBe(200)
    expect((await later.control('POST', '/qa/undelete')).status).toBe(404)
  })

  it('lets a deleted tenant go for good after the hour, or when another one gets its name', async () => {
    const editable = await create()
    const { control, leads, close } = await withLead(editable)
    await control('DELETE', '/qa?undo=true')
    expect((await control('POST', '', { name: 'qa' })).status).toBe(201)
    expect([await leads(), (await control('POST', '/qa/undelete')).status]).toEqual([0, 404])
    await control('DELETE', '/qa?undo=true')
    await close()
    const after = await openedAt(editable, 60 * minute)
    await expect.poll(async () => (await after.control('POST', '/qa/undelete')).status).toBe(404)
    await after.close()
    const stored = await editable.open()
    onTestFinished(() => stored.close())
    expect((await stored.listTenants()).map(({ tenant }) => tenant)).toEqual(['demo'])
  })

  it('is not possible after a deletion without it', async () => {
    const { control } = await withLead(await create())
    expect((await control('DELETE', '/qa')).json).toEqual({ deleted: 'qa' })
    expect((await control('POST', '/qa/undelete')).json.error).toBe('not_found')
  })
})
