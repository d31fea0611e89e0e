import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

const noon = '2026-06-15T12:00:00.000Z'
const behindNoon = (seconds: number) => new Date(Date.parse(noon) + seconds * 1000).toISOString()

interface Shown {
  callback_id: string
  event: string
  state: string
  attempts: { at: string; status?: number }[]
}

const advance = async (tenant: Tenant, by: string) => {
  expect((await tenant.control('POST', '/clock/advance', { body: { by } })).status).toBe(200)
}
const inbox = (tenant: Tenant, body: object) => tenant.control('PATCH', '/inbox', { body })
const resend = (tenant: Tenant, id: string) => tenant.control('POST', `/callbacks/${id}/resend`)
const recover = async (tenant: Tenant, since: string) =>
  (await tenant.control('POST', '/callbacks/recover', { body: { since } })).json
const list = async (tenant: Tenant, query = ''): Promise<{ callbacks: Shown[]; next?: string }> =>
  (await tenant.control('GET', `/callbacks${query}`)).json
const events = ({ callbacks }: { callbacks: Shown[] }) => callbacks.map(({ event }) => event)
const seconds = ({ attempts }: Shown) => attempts.map(({ at }) => (Date.parse(at) - Date.parse(noon)) / 1000)

inMemory('the callback lab', adapter => {
  /** A tenant with its clock frozen at noon, and a lead. */
  async function ready(settings: object = { callback_retries: ['PT5S'] }) {
    const tenant = await createTenant(adapter, { frozen_at: noon, settings })
    return { tenant, lead: await tenant.distributedLead() }
  }
  /** Reports events one after another, and runs all that is due. */
  async function report(tenant: Tenant, lead: string, ...names: string[]) {
    for (const name of names) await tenant.pixel(lead, name)
    await advance(tenant, 'PT0S')
  }
  const only = async (tenant: Tenant) => {
    const { callbacks } = await list(tenant)
    expect(callbacks).toHaveLength(1)
    return callbacks[0] ?? expect.fail('There is none.')
  }

  describe('a resend', () => {
    it('of a failed callback is delivered, or starts a new series of retries', async () => {
      const { tenant, lead } = await ready({ callback_retries: ['PT5S', 'PT30S'] })
      await inbox(tenant, { status: 500 })
      await report(tenant, lead, 'approved')
      await advance(tenant, 'PT100S')
      const { callback_id, state } = await only(tenant)
      expect(state).toBe('failed')
      const { json } = await resend(tenant, callback_id)
      expect(json).toMatchObject({ state: 'pending', next_attempt_at: behindNoon(105) })
      await advance(tenant, 'PT100S')
      expect([(await only(tenant)).state, seconds(await only(tenant))]).toEqual(['failed', [0, 5, 35, 100, 105, 135]])
      await inbox(tenant, { status: 200 })
      expect((await resend(tenant, callback_id)).json.state).toBe('delivered')
    })

    it('of a callback in flight is a separate attempt, after that one ends', async () => {
      const arrived = Promise.withResolvers<() => void>()
      await using receiver = await openReceiver((response, nth) => {
        if (nth === 1) arrived.resolve(() => response.writeHead(503).end())
        else response.end()
      })
      const { tenant, lead } = await ready()
      await tenant.change({ callback_url: receiver.url })
      await tenant.pixel(lead, 'approved')
      const refuse = await arrived.promise
      const { callback_id } = await only(tenant)
      const resent = resend(tenant, callback_id)
      refuse()
      expect((await resent).json).toMatchObject({ state: 'delivered', attempts: [{ status: 503 }, { status: 200 }] })
    })
  })

  describe('recovery', () => {
    it("keeps the order of one lead's events", async () => {
      const { tenant, lead } = await ready({ callback_retries: [] })
      await inbox(tenant, { status: 500, times: 3 })
      await report(tenant, lead, 'registration', 'rejected', 'approved')
      expect(events(await recover(tenant, noon))).toEqual(['registration', 'loan_rejected', 'loan_issued'])
      const again = (await tenant.inbox(6)).slice(3).map(({ event }) => event)
      expect(again).toEqual(['registration', 'loan_rejected', 'loan_issued'])
    })
  })
})
