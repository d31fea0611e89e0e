import { describe, expect, it } from 'vitest'
import { manualEgress, noon } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { acceptingInbox, createInbox, createInboxEgress, receiveCallback } from './inbox.ts'

const callback = { received_at: noon, lead_id: 'l1', event: 'registration', target: '/', headers: {} }

async function openInbox() {
  const storage = createMemoryStorage()
  await storage.addTenant(await createTenant({ tenant: 'qa', seed: '1', created_at: noon, settings: {} }))
  const memory = storage.of('qa')
  const inbox = createInbox(memory, acceptingInbox)
  const kept = () => memory.transact(async tables => (await tables.readDocuments()).inbox)
  return { inbox, kept }
}

describe('an inbox', () => {
  it('accepts callbacks, and lists them newest first', async () => {
    const { inbox } = await openInbox()
    expect(await inbox.take(callback)).toBe(200)
    await inbox.take({ ...callback, event: 'approved' })
    expect((await inbox.list({ limit: 9 })).map(({ event, status }) => [event, status])).toEqual([
      ['approved', 200],
      ['registration', 200],
    ])
  })

  it('fails as often as its mode says, then accepts again, and stores the remaining count', async () => {
    const { inbox, kept } = await openInbox()
    await inbox.setMode({ status: 503, times: 2 })
    expect([await inbox.take(callback), await kept()]).toEqual([503, { status: 503, times: 1 }])
    expect([await inbox.take(callback), await kept()]).toEqual([503, acceptingInbox])
    expect([await inbox.take(callback), inbox.mode()]).toEqual([200, acceptingInbox])
    expect((await inbox.list({ limit: 9 })).map(({ status }) => status)).toEqual([200, 503, 503])
  })

  it('fails until its mode changes if no number is given', async () => {
    const { inbox } = await openInbox()
    await inbox.setMode({ status: 500 })
    for (let time = 0; time < 3; time++) expect(await inbox.take(callback)).toBe(500)
    await inbox.setMode(acceptingInbox)
    expect(await inbox.take(callback)).toBe(200)
  })

  it('fails no more often than its mode says on concurrent callbacks', async () => {
    const { inbox } = await openInbox()
    await inbox.setMode({ status: 500, times: 3 })
    const statuses = await Promise.all(Array.from({ length: 8 }, () => inbox.take(callback)))
    expect(statuses.filter(status => status === 500)).toHaveLength(3)
  })

  it('stores entries of up to 2 KiB, and refuses larger ones in any mode', async () => {
    const { inbox, kept } = await openInbox()
    const room = 2_048 - JSON.stringify(callback).length
    const longer = (by: number) => ({ ...callback, target: `/${'x'.repeat(by)}` })
    expect(await inbox.take(longer(room))).toBe(200)
    expect(await inbox.take(longer(room + 1))).toBe(413)
    expect(await inbox.take({ ...callback, headers: { 'webhook-id': 'ü'.repeat(1_000) } })).toBe(413)
    await inbox.setMode({ status: 500, times: 1 })
    expect(await inbox.take(longer(room + 1))).toBe(413)
    expect(await kept()).toEqual({ status: 500, times: 1 })
    expect(await inbox.list({ limit: 9 })).toHaveLength(1)
  })

  it('keeps the newest ten thousand entries, and at most a hundred more', async () => {
    const { inbox } = await openInbox()
    for (let at = 0; at < 10_250; at++) await inbox.take({ ...callback, received_at: at })
    const entries = await inbox.list({ limit: 99_999 })
    expect(entries[0]?.received_at).toBe(10_249)
    expect(entries.length).toBeGreaterThanOrEqual(10_000)
    expect(entries.length).toBeLessThanOrEqual(10_100)
  })
})

describe('a callback', () => {
  const url = 'http://127.0.0.1:4010/_sandbox/inbox/qa'
  const target = '/_sandbox/inbox/qa?lead_id=l1&event=approved'
  const signature = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1781524800', 'webhook-signature': 'v1,c2ln' }
  const headers = { ...signature, 'user-agent': 'lead-sandbox', authorization: 'Bearer secret' }
  const entry = { lead_id: 'l1', event: 'approved', target, headers: signature, received_at: noon, status: 200 }

  it('reaches the inbox over HTTP, which stores its webhook headers and no others', async () => {
    const { inbox } = await openInbox()
    const { status, body } = await receiveCallback(inbox, { target, headers, received_at: noon })
    expect([status, JSON.parse(body)]).toEqual([200, { taken: true }])
    expect(await inbox.list({ limit: 9 })).toEqual([expect.objectContaining(entry)])
  })

  it("gets the mode's status, as a service error", async () => {
    const { inbox } = await openInbox()
    await inbox.setMode({ status: 503 })
    const { status, body } = await receiveCallback(inbox, { target, headers, received_at: noon })
    expect([status, JSON.parse(body)]).toEqual([503, { error: expect.any(String), message: expect.any(String) }])
    const long = { target: `${target}&x=${'x'.repeat(3_000)}`, headers, received_at: noon }
    const refused = await receiveCallback(inbox, long)
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([413, { error: 'payload_too_large' }])
  })

  it('without a query has an empty lead and event', async () => {
    const { inbox } = await openInbox()
    await receiveCallback(inbox, { target: '/_sandbox/inbox/qa', headers: {}, received_at: noon })
    expect(await inbox.list({ limit: 9 })).toMatchObject([{ lead_id: '', event: '', headers: {} }])
  })

  it('from the sandbox reaches its own inbox in process, and any other URL through the egress', async () => {
    const { inbox } = await openInbox()
    const outbound = manualEgress(() => ({ status: 204 }))
    const egress = createInboxEgress({ inbox, url, clock: { now: () => noon }, outbound })
    const send = (to: string) => egress.send({ url: to, headers, timeoutMs: 1_000 })
    expect(await send(`${url}?lead_id=l1&event=approved`)).toMatchObject({
      status: 200,
      answer: { text: '{"taken":true}' },
    })
    expect(await inbox.list({ limit: 9 })).toEqual([expect.objectContaining(entry)])
    const others = [`${url}2?lead_id=l1&event=approved`, `${url}/x?lead_id=l1`, `http://127.0.0.1:1/?${url}?`]
    for (const other of others) expect(await send(other)).toEqual({ status: 204 })
    expect(outbound.sent.map(sent => sent.url)).toEqual(others)
    expect(await inbox.list({ limit: 9 })).toHaveLength(1)
  })
})
