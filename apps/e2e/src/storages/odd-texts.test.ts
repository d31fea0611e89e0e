import { expect, it } from 'vitest'
import { onEveryStorage } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

const texts = ['\0', 'a\u0000b', '𝔘𝔫𝔦', 'ñ', '\u202e', '"\\', '\ud800', '\udfff x', '\ufffe0', '\\u0000', '"at":1}]']

onEveryStorage('an odd text', adapter => {
  it('is returned unchanged: lone surrogates, NUL, every plane', async () => {
    const tenant = await createTenant(adapter)
    for (const text of texts) {
      const { json } = await tenant.submit({ 'customer.external_id': text, 'customer.personal_data.first_name': text })
      expect(json.status).toBe('distributed')
      const { customer } = (await tenant.lead(json.lead_id)).submission
      expect([customer.external_id, customer.personal_data.first_name]).toEqual([text, text])
    }
  })

  it("can be a callback's error, and everything after it is still shown", async () => {
    const tenant = await createTenant(adapter, { settings: { callback_retries: [] } })
    const { listener, callbacks, activity, snapshots } = tenant.client
    const { listener_id } = await listener.start({ forwardTo: 'http://localhost:3000/' })
    const reported = new Map<string, string>()
    for (const error of texts) {
      const lead = await tenant.distributedLead()
      await tenant.pixel(lead, 'approved')
      reported.set(lead, error)
    }
    const taken = new Set<string>()
    while (taken.size < texts.length)
      for (const { lead_id, delivery_id } of (await listener.take(listener_id)).deliveries) {
        taken.add(lead_id)
        await listener.report(listener_id, delivery_id, { error: reported.get(lead_id) })
      }
    const failed = async () => (await callbacks.list({ state: 'failed' })).callbacks
    await expect.poll(async () => (await failed()).length).toBe(texts.length)
    for (const { lead_id, attempts } of await failed()) expect(attempts[0]?.error).toBe(reported.get(lead_id))
    await snapshots.save('odd')
    await snapshots.import('again', await snapshots.export('odd'))
    for (const restore of [async () => undefined, () => snapshots.restore('odd'), () => snapshots.restore('again')]) {
      await restore()
      expect((await activity()).callbacks).toEqual({ pending: 0, delivered: 0, failed: texts.length })
    }
  })

  it('can be a status with the vocabulary any, reported once and repeated, up to the maximum length', async () => {
    const tenant = await createTenant(adapter, { settings: { status_vocabulary: 'any' } })
    const lead = await tenant.distributedLead()
    // No pair of bytes repeats, so it cannot be compressed.
    const long = (seed: number) =>
      Array.from({ length: 254 }, (_, n) => String.fromCharCode(0x4e00 + ((n * n * seed + n * 7919) % 20_000))).join('')
    const statuses = [...texts.filter(text => text.isWellFormed()), long(31), long(37), `${long(31)}x`]
    for (const status of statuses)
      expect((await tenant.report(lead, { status })).json).toEqual({ lead_id: lead, status })
    for (const status of statuses) expect((await tenant.report(lead, { status })).status).toBe(200)
    const { events } = await tenant.client.leads.show(lead)
    expect(events.map(({ event }) => event)).toEqual(statuses)
  })
})
