import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { emptyDatabase } from '../adapters/every-adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import { createTenant, Tenant } from '../adapters/tenant.ts'

let [first, second]: Adapter[] = []

beforeAll(async () => {
  const data = await emptyDatabase()
  // Two servers that share only the database, like two processes.
  ;[first, second] = await Promise.all([openExpressAdapter({ data }), openExpressAdapter({ data })])
})
afterAll(() => Promise.all([first?.close(), second?.close()]))

/** A new tenant, created through the first server, as seen by each server. */
async function onBoth(creation: object = {}): Promise<[Tenant, Tenant]> {
  const one = await createTenant(first as Adapter, creation)
  return [one, new Tenant(second as Adapter, one.account)]
}

let customers = 0

/** Submits a lead for a new customer. */
const submit = (tenant: Tenant) => tenant.submit({}, `customer-${++customers}@example.net`)

async function distributedLead(tenant: Tenant): Promise<string> {
  const { json } = await submit(tenant)
  expect(json).toMatchObject({ status: 'distributed' })
  return json.lead_id
}

/** Finds leads by e-mail address. */
async function findByEmail(tenant: Tenant, email: string): Promise<string[]> {
  const { leads } = await tenant.client.leads.list({ email })
  return leads.map(({ lead_id }) => lead_id)
}

const statuses = (responses: readonly { status: number }[]) => responses.map(({ status }) => status)

describe('a change through one process applies to the next request through another', () => {
  it('to a tenant: created, changed, deleted, and recreated under its name', async () => {
    const [one, other] = await onBoth()
    expect((await submit(other)).status).toBe(200)
    await one.change({ products: [{ product_id: one.product().product_id, active: false }] })
    expect((await submit(other)).json).toMatchObject({ status: 'rejected' })
    await one.client.delete()
    expect([(await submit(other)).status, (await other.control('GET')).status]).toEqual([401, 404])
    const again = await createTenant(second as Adapter, { name: one.account.tenant })
    expect((await submit(one)).status).toBe(401)
    one.account = again.account
    expect((await submit(one)).status).toBe(200)
  })

  it('to the clock, also while another process changes it', async () => {
    const [one, other] = await onBoth({ frozen_at: '2026-01-01T00:00:00Z' })
    await Promise.all([one, other, one, other].map(({ client }) => client.clock.advance({ by: 'PT1H' })))
    expect(await one.client.clock.show()).toEqual({ mode: 'frozen', now: '2026-01-01T04:00:00.000Z' })
    expect(await other.client.clock.show()).toEqual({ mode: 'frozen', now: '2026-01-01T04:00:00.000Z' })
    expect(await other.lead(await distributedLead(other))).toMatchObject({ received_at: '2026-01-01T04:00:00.000Z' })
  })

  it('to faults, which act exactly as often as specified in all processes together', async () => {
    const [one, other] = await onBoth()
    await one.client.faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 }, times: 3 })
    const answered = statuses(await Promise.all([one, other, one, other, one, other].map(tenant => submit(tenant))))
    expect(answered.toSorted()).toEqual([200, 200, 200, 503, 503, 503])
    await other.client.faults.clear()
    expect((await one.client.faults.list()).faults).toEqual([])
  })
})

describe('two concurrent processes', () => {
  it('give a chosen key to only one tenant, created or changed', async () => {
    const [one, other] = await onBoth()
    const keys = Array.from({ length: 8 }, (_, n) => `sandbox_pub_chosen-${n}_${'0'.repeat(16)}`)
    for (const api_key of keys) {
      const publisher = { api_key }
      const responses = await Promise.all([
        one.control('PATCH', '', { body: { publisher } }),
        other.adapter.request('POST', '/_sandbox/v1/tenants', { body: { publisher } }),
      ])
      expect(responses.filter(({ status }) => status < 300)).toHaveLength(1)
      expect(responses.find(({ status }) => status >= 300)?.json.details).toMatchObject([
        { field: 'publisher.api_key' },
      ])
    }
    const { tenants } = (await one.adapter.request('GET', '/_sandbox/v1/tenants')).json
    const held = tenants.map(({ publisher }: { publisher: { api_key: string } }) => publisher.api_key)
    expect(held.filter((key: string) => key === one.account.publisher.api_key).length).toBeLessThan(2)
    expect(new Set(held).size).toBe(held.length)
  })

  it('give every lead, callback and journal entry a unique id, in order of arrival', async () => {
    const [one, other] = await onBoth()
    const all = Array.from({ length: 60 }, (_, n) => (n % 2 ? one : other).submit({}, `both-${n}@example.com`))
    const ids = (await Promise.all(all)).map(({ json }) => json.lead_id)
    expect(new Set(ids).size).toBe(60)
    const later = [await distributedLead(one), await distributedLead(other), await distributedLead(one)]
    const { leads } = await one.client.leads.list({ limit: 100 })
    expect(leads.slice(0, 3).map(({ lead_id }) => lead_id)).toEqual(later.toReversed())
    const journal = async () => (await other.client.requests.list({ limit: 100 })).requests
    await expect.poll(async () => (await journal()).length).toBe(63)
    expect(new Set((await journal()).map(({ request_id }) => request_id)).size).toBe(63)
    const coverage = await other.client.coverage()
    expect(coverage.items.find(({ name }) => name === 'distributed')?.count).toBe(63)
  })

  it('deliver each callback once, and notify requests that wait in another process', async () => {
    await using receiver = await openReceiver()
    const [one, other] = await onBoth({ callback_url: `${receiver.url}/` })
    const leads = await Promise.all(Array.from({ length: 10 }, (_, n) => distributedLead(n % 2 ? one : other)))
    const waits = leads.map(lead_id => other.client.callbacks.wait({ leadId: lead_id, timeoutMs: 20_000 }))
    await Promise.all(leads.map((lead, n) => (n % 2 ? one : other).pixel(lead, 'approved')))
    expect((await Promise.all(waits)).map(({ state }) => state)).toEqual(leads.map(() => 'delivered'))
    expect(receiver.received).toHaveLength(10)
  })

  it('send no callbacks while one of them holds them, and all once the other releases them', async () => {
    await using receiver = await openReceiver()
    const [one, other] = await onBoth({ callback_url: `${receiver.url}/`, frozen_at: '2026-01-01T00:00:00Z' })
    const lead = await distributedLead(other)
    const events = ['registration', 'approved', 'completed']
    for (const [sent, event] of events.entries()) {
      await one.client.callbacks.hold()
      await other.pixel(lead, event)
      expect(await other.client.clock.advance({ by: 'PT1H' })).toMatchObject({ executed: 0, held: 1 })
      expect(receiver.received).toHaveLength(sent)
      await other.client.callbacks.release()
      expect((await one.client.callbacks.wait({ leadId: lead, event, timeoutMs: 20_000 })).attempts).toHaveLength(1)
      expect(receiver.received).toHaveLength(sent + 1)
    }
  })

  it("forward callbacks through either process's listener, whichever has the callback, the clock and the response", async () => {
    const [one, other] = await onBoth({
      settings: { callback_retries: ['PT1M', 'PT1M'] },
      frozen_at: '2026-01-01T00:00:00Z',
    })
    const { listener_id } = await one.client.listener.start({ forwardTo: 'http://localhost:3000/' })
    const lead_id = await distributedLead(other)
    await other.pixel(lead_id, 'approved')
    const [{ held } = expect.fail()] = (await other.client.callbacks.list({ leadId: lead_id })).callbacks
    expect(held).toBe('listener')
    const attempts: number[] = []
    const listens = (async () => {
      for (const turn of [one, other, one, other, one, other]) {
        const { deliveries } = await turn.client.listener.take(listener_id)
        for (const { delivery_id, attempt } of deliveries) {
          attempts.push(attempt)
          const reporter = turn === one ? other : one
          await reporter.client.listener.report(listener_id, delivery_id, { status: attempt < 3 ? 503 : 200 })
        }
        if (attempts.length === 3) return
      }
    })()
    await expect.poll(async () => (await other.client.show()).listener?.connected).toBe(true)
    expect(await other.client.clock.advance({ by: 'PT1H' })).toMatchObject({ pending: 0 })
    await listens
    expect(attempts).toEqual([1, 2, 3])
    const { state, attempts: made } = await one.client.callbacks.wait({ leadId: lead_id })
    expect([state, made.map(({ status }) => status)]).toEqual(['delivered', [503, 503, 200]])
    await other.client.listener.end(listener_id)
    expect(await one.client.show()).not.toHaveProperty('listener')
  })

  it('advance a clock past retries, whichever process delivered first', async () => {
    await using receiver = await openReceiver(withStatus(500))
    const [one, other] = await onBoth({
      callback_url: `${receiver.url}/`,
      settings: { callback_retries: ['PT1M', 'PT1H'] },
    })
    await one.client.clock.freeze()
    await other.pixel(await distributedLead(other), 'approved')
    await one.client.clock.advance({ by: 'PT2H' })
    const { callbacks } = await other.client.callbacks.list()
    expect(callbacks.map(({ state, attempts }) => [state, attempts.length])).toEqual([['failed', 3]])
  })

  it('count the work of an advance, whichever process did it', async () => {
    const lifecycle = [{ event: 'registration', after: 'PT10M' }]
    const [one, other] = await onBoth({ frozen_at: '2026-01-01T09:00:00Z', settings: { lifecycle } })
    await Promise.all(Array.from({ length: 20 }, () => submit(one)))
    let going = true
    const advancing = one.client.clock.advance({ by: 'P1D' }).finally(() => {
      going = false
    })
    // Each request sees the clock's progress, and runs what is due.
    while (going) await other.client.clock.show()
    expect(await advancing).toMatchObject({ executed: 40, pending: 0 })
  })
})

describe('replacing a tenant through one process', () => {
  it('replaces it for others, by a reset and by a restored snapshot', async () => {
    const [one, other] = await onBoth()
    const before = await distributedLead(other)
    await one.client.snapshots.save('before')
    await other.client.faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 } })
    await one.client.reset()
    expect((await other.client.leads.list()).leads).toEqual([])
    expect((await submit(other)).json).toMatchObject({ status: 'distributed', lead_id: before })
    await other.client.snapshots.restore('before')
    expect((await one.client.leads.list()).leads.map(({ lead_id }) => lead_id)).toEqual([before])
    expect((await submit(one)).status).toBe(200)
  })

  it('loses no lead in a reset through the other process, and stores none partially', async () => {
    const [one, other] = await onBoth()
    let going = true
    const submitting = [one, other, other].map(async (tenant, worker) => {
      const seen: number[] = []
      for (let n = 0; going; n++) seen.push((await tenant.submit({}, `w${worker}-${n}@example.com`)).status)
      return seen
    })
    for (let n = 0; n < 5; n++) await (n % 2 ? one : other).client.reset()
    await one.client.snapshots.save('whole')
    going = false
    // A request overtaken by a reset gets a 503, and stores nothing.
    for (const status of (await Promise.all(submitting)).flat()) expect([200, 503]).toContain(status)
    await other.client.snapshots.restore('whole')
    const { leads } = await one.client.leads.list({ limit: 500 })
    const found = await Promise.all(leads.map(({ email }) => findByEmail(other, email)))
    // Searching by address uses its claim, which is stored next to the lead.
    expect(found).toEqual(leads.map(({ lead_id }) => [lead_id]))
  })

  it('is complete when another process removes content at the same time', async () => {
    const [one, other] = await onBoth()
    await Promise.all(Array.from({ length: 40 }, () => submit(one)))
    // Each removes unnamed content, and must not remove content that the other is copying.
    await Promise.all([
      ...['a', 'b', 'c'].map(name => one.client.snapshots.save(name)),
      ...Array.from({ length: 6 }, async () => (await createTenant(second as Adapter)).client.delete()),
    ])
    await other.client.reset()
    await other.client.snapshots.restore('c')
    expect((await one.client.leads.list({ limit: 100 })).leads).toHaveLength(40)
  })
})

describe('processes that start together with one configuration', () => {
  it('apply it one after another, so that everything is created once', async () => {
    const fault = (status: number) => ({ match: { operation: 'submitLead' as const }, effect: { status }, times: 1 })
    const faults = [fault(500), fault(503)]
    const configuration = {
      tenants: [
        { name: 'qa', faults, blacklist: [{ email: 'no@example.com' }] },
        { name: 'demo', faults },
        { name: 'frozen', clock: { freeze: true as const } },
      ],
    }
    const data = await emptyDatabase()
    const opened = await Promise.allSettled([1, 2, 3].map(() => openExpressAdapter({ data, configuration })))
    const started = opened.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    try {
      expect(opened.map(each => (each.status === 'rejected' ? String(each.reason) : 'started'))).toEqual(
        Array(3).fill('started'),
      )
      for (const adapter of started)
        for (const { name, faults = [] } of configuration.tenants) {
          const path = `/_sandbox/v1/tenants/${name}/faults`
          const { json } = await adapter.request('GET', path)
          expect(json.faults).toMatchObject(faults)
          expect(json.faults).toHaveLength(faults.length)
        }
    } finally {
      await Promise.all(started.map(adapter => adapter.close()))
    }
  })
})
