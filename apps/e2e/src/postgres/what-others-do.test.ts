import { setTimeout as wait } from 'node:timers/promises'
import type { SandboxEvent } from '@lead-distribution/control-client'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Adapter, fetchAdapter } from '../adapters/adapter.ts'
import { launcher } from '../adapters/command-line.ts'
import { emptyDatabase, queryDatabase } from '../adapters/every-adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { follow, followed } from '../adapters/follow-events.fixture.ts'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import { controlOf, createTenant, Tenant } from '../adapters/tenant.ts'

const { start } = launcher()
let data: string
let [first, second]: Adapter[] = []

beforeAll(async () => {
  data = await emptyDatabase()
  // Two servers that share only the database, like two processes.
  ;[first, second] = await Promise.all([openExpressAdapter({ data }), openExpressAdapter({ data })])
})
afterAll(() => Promise.all([first?.close(), second?.close()]))

/** Two more servers, for one test. */
async function openTwo(options: { data: string; adminToken?: string }): Promise<Adapter[]> {
  const servers = await Promise.all([1, 2].map(() => openExpressAdapter(options)))
  onTestFinished(async () => void (await Promise.all(servers.map(server => server.close()))))
  return servers
}

/** A new tenant, created through the first server, as seen by each server. */
async function onBoth(creation: object = {}, on = [first, second]): Promise<[Tenant, Tenant]> {
  const one = await createTenant(on[0] as Adapter, creation)
  return [one, new Tenant(on[1] as Adapter, one.account)]
}

/** A server in a separate process on the database, and a tenant as it sees it. */
async function startThird() {
  const { child, url } = await start('--data', data)
  const exited = new Promise(resolve => child.once('exit', resolve))
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  return {
    child,
    kill,
    adapter: fetchAdapter(url),
    of: (tenant: Tenant) => new Tenant(fetchAdapter(url), tenant.account),
  }
}

/** Locks a table against writes until the returned function is called. */
async function lockTable(url: string, table: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`begin; lock table ${table} in share row exclusive mode`)
  return () => client.end()
}

/** Ends idle connections with this name. Concurrent tests have other names. */
const endConnections = (name: string) =>
  queryDatabase(
    data,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${name}' and query <> ''`,
  )

let customers = 0

/** Submits a lead for a new customer. Returns its id. */
async function submitted(tenant: Tenant): Promise<string> {
  const { json } = await tenant.submit({}, `customer-${++customers}@example.net`)
  expect(json).toMatchObject({ status: 'distributed' })
  return json.lead_id
}

const isTenant = (change: string) => (event: SandboxEvent) => event.type === 'tenant' && event.change === change
const isDelivered = (event: SandboxEvent) => event.type === 'callback' && event.callback.state === 'delivered'
const isEvent = (type: SandboxEvent['type']) => (event: SandboxEvent) => event.type === type
const leadsOf = (seen: readonly SandboxEvent[]) =>
  seen.flatMap(event => (event.type === 'lead' && event.change === 'submitted' ? [event.lead_id] : []))
/** A stream that ends is read to its end. */
const ended = ({ until }: ReturnType<typeof follow>) => expect(until(() => false)).rejects.toThrow('the stream ended')

describe('a stream through one process', () => {
  it("shows another process's events like its own, each once and in order", async () => {
    const [one, other] = await onBoth()
    const [there, here] = [await followed(other), await followed(one)]
    const lead = await submitted(one)
    await one.pixel(lead, 'approved')
    await Promise.all([there, here].map(({ until }) => until(isDelivered)))
    await one.client.clock.freeze()
    await one.client.faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 } })
    await one.change({ settings: { gender: 'required' } })
    await one.client.reset()
    await Promise.all([there, here].map(({ until }) => until(isTenant('restored'))))
    // Journal entries and polled tenant changes arrive at their own times, so both may come anywhere in between.
    const inOrder = (seen: readonly SandboxEvent[]) =>
      seen
        .slice(1)
        .filter(({ type }) => type !== 'request' && type !== 'tenant')
        .map(({ id: _, ...event }) => event)
    expect(inOrder(there.seen)).toEqual(inOrder(here.seen))
    const calls = (seen: readonly SandboxEvent[]) =>
      seen.flatMap(event => (event.type === 'request' ? [event.request.request_id] : []))
    expect(calls(there.seen)).toEqual(calls(here.seen))
    expect(there.seen.filter(isTenant('changed'))).toHaveLength(1)
    const secrets = [one.publisherKey, 'example.com', 'Prueba', 'token=']
    for (const secret of secrets) expect(JSON.stringify(there.seen)).not.toContain(secret)
  })

  it('of all tenants shows a tenant that another process creates and deletes, and ends with the tenant', async () => {
    const all = follow(controlOf(second as Adapter).events())
    await all.until(isEvent('ready'))
    const [one, other] = await onBoth()
    const own = await followed(other)
    await submitted(one)
    await one.client.delete()
    await own.until(isTenant('deleted'))
    await ended(own)
    const isOne = (event: SandboxEvent) => 'tenant' in event && event.tenant === one.account.tenant
    await all.until(event => isTenant('deleted')(event) && isOne(event))
    const { tenant } = await createTenant(first as Adapter, { name: one.account.tenant }).then(({ account }) => account)
    await all.until(event => isTenant('created')(event) && isOne(event))
    const tenants = all.seen.flatMap(event =>
      event.type === 'tenant' && event.tenant === tenant ? [event.change] : [],
    )
    expect(tenants).toEqual(['created', 'deleted', 'created'])
    expect(leadsOf(all.seen.filter(isOne))).toHaveLength(1)
  })

  it('misses nothing between a list after `ready` and its events', async () => {
    const own = await emptyDatabase()
    const [one, other] = await onBoth({}, await openTwo({ data: own }))
    // The lead is in flight while nobody reads, and committed after a stream that did not wait would have begun.
    const release = await lockTable(own, 'leads')
    const submitting = submitted(one)
    const blocked = `select pid from pg_locks where not granted and relation = 'leads'::regclass`
    await expect.poll(async () => (await queryDatabase(own, blocked)).length).toBe(1)
    const opening = followed(other)
    const listing = opening.then(() => other.client.leads.list())
    await Promise.race([listing, wait(1_500)])
    await release()
    const [{ until, seen }, { leads }, lead] = await Promise.all([opening, listing, submitting])
    const next = await submitted(one)
    await until(event => event.type === 'lead' && event.lead_id === next)
    const shown = [...leads.map(({ lead_id }) => lead_id), ...leadsOf(seen)]
    expect(new Set(shown)).toEqual(new Set([lead, next]))
  })

  it('ends if its database cannot report missed events, and tells the reader on reconnect', async () => {
    const own = `${await emptyDatabase()}&application_name=streams_that_end`
    const [, other] = await onBoth({}, await openTwo({ data: own }))
    const stream = await followed(other)
    await endConnections('streams_that_end')
    await ended(stream)
    expect((await followed(other, stream.first.id)).first).toMatchObject({ type: 'reset' })
  })

  it("ends when its tenant's token is revoked through another process", async () => {
    const adminToken = 'T0ken-of-the-team'
    const both = await openTwo({ data, adminToken })
    const by = (adapter: Adapter, token: string): Adapter => ({
      ...adapter,
      request: (method, target, { headers, ...options } = {}) =>
        adapter.request(method, target, { ...options, headers: { authorization: `Bearer ${token}`, ...headers } }),
      stream: (target, headers) => adapter.stream(target, { authorization: `Bearer ${token}`, ...headers }),
    })
    const [one] = await onBoth({}, [by(both[0] as Adapter, adminToken), both[1]])
    const { token, token_id } = (await one.control('POST', '/tokens', { body: { role: 'read' } })).json
    const stream = await followed(new Tenant(by(both[1] as Adapter, token), one.account))
    await one.control('DELETE', `/tokens/${token_id}`)
    await ended(stream)
    await expect(followed(new Tenant(by(both[1] as Adapter, token), one.account))).rejects.toThrow('401')
  })

  it('includes changes committed by a process before it was killed', async () => {
    const third = await startThird()
    const [one, other] = await onBoth()
    const { until, seen } = await followed(other)
    const there = third.of(one)
    const leads: string[] = []
    for (let n = 0; n < 20; n++) leads.push(await submitted(there))
    await third.kill()
    await until(() => leadsOf(seen).length === leads.length)
    expect(leadsOf(seen)).toEqual(leads)
  })
})

describe("a request's journal entry, right after another process responded", () => {
  it('is visible in the list, the entry, and the coverage of one tenant and of all', async () => {
    const [one, other] = await onBoth()
    type Items = { readonly items: readonly { readonly name: string; readonly count: number }[] }
    const seen = ({ items }: Items) => items.find(({ name }) => name === 'distributed')?.count
    for (let n = 0; n < 15; n += 3) {
      await submitted(one)
      const { requests } = await other.client.requests.list()
      expect(requests).toHaveLength(n + 1)
      expect((await one.client.requests.show(`r${n + 1}`)).request_id).toBe(requests[0]?.request_id)
      await submitted(one)
      expect(seen(await other.client.coverage())).toBe(n + 2)
      await submitted(one)
      expect(seen(await controlOf(second as Adapter).coverage({ prefix: one.account.tenant }))).toBe(n + 3)
    }
  })

  it('is visible while a database process is dead or does not respond', async () => {
    const third = await startThird()
    const [one, other] = await onBoth()
    await submitted(third.of(one))
    expect((await other.client.requests.list()).requests).toHaveLength(1)
    third.child.kill('SIGSTOP')
    await submitted(one)
    expect((await other.client.requests.list()).requests).toHaveLength(2)
    const reading = other.client.requests.list()
    await third.kill()
    expect((await reading).requests).toHaveLength(2)
    expect((await other.client.requests.list()).requests).toHaveLength(2)
  })
})

it('responds as usual while its connections are terminated', async () => {
  const own = `${await emptyDatabase()}&application_name=calls_that_go_on`
  const [one, other] = await onBoth({ frozen_at: '2026-01-01T00:00:00Z' }, await openTwo({ data: own }))
  for (let n = 0; n < 10; n++) {
    const calls = [one, other].flatMap(each => [each.client.clock.advance({ by: 'PT1M' }), submitted(each)])
    // Each time in the middle of something else.
    await wait(5 * n)
    await endConnections('calls_that_go_on')
    await Promise.all(calls)
  }
  expect((await one.client.clock.show()).now).toBe('2026-01-01T00:20:00.000Z')
  expect((await other.client.leads.list()).leads).toHaveLength(20)
})

describe('a process that pauses for longer than its leases', () => {
  const hour = 3_600_000

  it("neither advances the clock nor records its callback's result", { timeout: 60_000 }, async () => {
    const third = await startThird()
    const held = Promise.withResolvers<void>()
    await using receiver = await openReceiver((response, nth) => {
      if (nth === 2) held.resolve()
      else withStatus(nth === 1 ? 500 : 200)(response)
    })
    const [one, other] = await onBoth({
      callback_url: receiver.url,
      settings: { callback_timeout: 'PT3S', callback_retries: ['PT5M', 'PT5M'] },
    })
    await one.client.clock.freeze()
    const lead = await submitted(one)
    await one.pixel(lead, 'approved')
    const callback = async () => (await one.client.callbacks.list({ leadId: lead })).callbacks[0]
    await expect.poll(async () => (await callback())?.attempts.length).toBe(1)
    const start = Date.parse((await one.client.clock.show()).now)
    const advancing = third.of(one).control('POST', '/clock/advance', { body: { by: 'PT1H' } })
    // The retry is in flight, five minutes later, when the process pauses.
    await held.promise
    third.child.kill('SIGSTOP')
    const { now } = await other.client.clock.advance({ by: 'PT1H' })
    expect(Date.parse(now) - start).toBe(hour + 300_000)
    const delivered = await callback()
    // Any process may have leased the held one. Then it is an attempt without a response.
    expect(delivered?.state).toBe('delivered')
    expect([delivered?.attempts[0]?.status, delivered?.attempts.at(-1)?.status]).toEqual([500, 200])
    const sent = receiver.received.length
    third.child.kill('SIGCONT')
    expect((await advancing).status).toBe(503)
    // It is like the others.
    expect((await third.of(one).client.clock.show()).now).toBe(now)
    expect((await one.client.clock.show()).now).toBe(now)
    expect(await callback()).toEqual(delivered)
    expect(receiver.received).toHaveLength(sent)
    await third.kill()
  })

  it.each(['change', 'restore'] as const)('does not block a %s in another process for longer', async what => {
    const third = await startThird()
    const [one] = await onBoth()
    await one.client.snapshots.save('before')
    await submitted(third.of(one))
    const frozen = third.of(one).client.clock.freeze()
    third.child.kill('SIGSTOP')
    const run = {
      change: () => one.change({ settings: { gender: 'required' } }),
      restore: () => one.client.snapshots.restore('before'),
    }
    expect(await run[what]().then(() => 'done')).toBe('done')
    third.child.kill('SIGCONT')
    await frozen.catch(() => undefined)
    await third.kill()
  })
})
