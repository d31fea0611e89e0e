import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath, leadToken } from '@lead-distribution/contract'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import type { Account } from '@lead-distribution/control-client'
import { expect, it } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { queryDatabase } from '../adapters/every-adapter.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { type Disturbance, type Fleet, type Postgres, startFleet, startPostgres } from './fleet.fixture.ts'

const clients = 28
const control = '/_sandbox/v1/tenants'
/**
 * Milliseconds: a client's longest pause between submissions, its time-out for a response, and the time for everything
 * to settle.
 */
const [pauseMs, replyMs, settleMs] = [300, 4_000, 60_000]

/** Seeded random numbers in [0, 1) (mulberry32). */
function randomOf(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Calls any sandbox that is up, and counts the responses. */
function createCaller({ any }: Fleet) {
  const answered: string[] = []
  /** Requests with a 503. Their journal entries are written once the database responds again. */
  const unavailable: string[] = []
  let [lastAt, maxMs] = [performance.now(), 0]

  /** Makes one attempt. Undefined if there was no response, or one that says it was not done. */
  async function attempt(method: string, path: string, body?: object, key = '') {
    const id = randomUUID()
    const headers = { 'content-type': 'application/json', 'x-request-id': id, ...(key && { apikey: key }) }
    try {
      const { url } = await any()
      const signal = AbortSignal.timeout(replyMs)
      const response = await fetch(url + path, {
        method,
        headers,
        signal,
        ...(body && { body: JSON.stringify(body) }),
      })
      const json = await response.json()
      if (response.status === 503) {
        if (path.startsWith(basePath)) unavailable.push(id)
        return undefined
      }
      if (!response.ok) throw new Error(`${method} ${path} got ${response.status}: ${JSON.stringify(json)}`)
      maxMs = Math.max(maxMs, performance.now() - lastAt)
      lastAt = performance.now()
      if (path.startsWith(basePath)) answered.push(id)
      return json
    } catch (error) {
      if (error instanceof Error && / got \d/.test(error.message)) throw error
      return undefined
    }
  }
  return {
    answered,
    unavailable,
    attempt,
    maxMs: () => maxMs,
    /** Retries until there is a response. */
    async call(...request: Parameters<typeof attempt>) {
      for (;;) {
        const json = await attempt(...request)
        if (json) return json
        await wait(50)
      }
    },
  }
}

type Caller = ReturnType<typeof createCaller>

interface Run {
  readonly account: Account
  readonly random: () => number
  going: boolean
  /** The leads as in the responses: `email status` by id. */
  readonly leads: Map<string, string>
  /** The recorded events, as `lead event`. */
  readonly events: Set<string>
}

/**
 * Disrupts a fleet's sandboxes and their database while clients submit a tenant's leads and report events. Then
 * whatever got a success must be there, once.
 */
async function crash(
  name: string,
  postgres: Postgres,
  fleet: Fleet,
  disturbances: readonly Disturbance[],
  random: () => number,
) {
  await using receiver = await openReceiver()
  const caller = createCaller(fleet)
  const settings = { callback_timeout: 'PT2S', callback_event_names: 'as_reported' }
  const account: Account = await caller.call('POST', control, {
    name,
    callback_url: `${receiver.url}/callbacks`,
    settings,
  })
  const frozen_at = '2026-01-01T00:00:00Z'
  const changed = `${control}/${(await caller.call('POST', control, { name: `${name}-changed`, frozen_at })).tenant}`
  const run: Run = { account, random, going: true, leads: new Map(), events: new Set() }
  const submitting = Array.from({ length: clients }, (_, client) => submitAll(run, caller, client))
  const changing = changeAll(run, caller, changed)
  const before = fleet.up.size
  for (const what of disturbances.toSorted(() => random() - 0.5)) {
    await wait(300 + random() * 1_200)
    // Starting takes seconds on a busy machine. With no process up, nothing would be tested.
    while (fleet.up.size < before - 1) await wait(50)
    await fleet.disturb(what)
  }
  run.going = false
  const [{ violations, advances }] = await Promise.all([changing, ...submitting])
  await fleet.settled()

  const content = `with content as (select tenant from tenants where name = '${account.tenant}')`
  const rows = (sql: string) => queryDatabase(postgres.url, `${content} select ${sql} natural join content`)
  const undelivered = () =>
    rows(`lead_id, callback_id, state from (select * from callbacks where state <> 'delivered') as all_of`)
  for (const end = performance.now() + settleMs; performance.now() < end; await wait(100))
    if ((await undelivered()).length === 0) break
  const waiting = await undelivered()
  /** The received callbacks, as `lead event`. */
  const callbacks = receiver.received.map(({ target }) => {
    const query = new URL(target, receiver.url).searchParams
    return `${query.get('lead_id')} ${query.get('event')}`
  })
  const received = new Set(callbacks)
  const stored = await rows('lead_id, email, status from leads')
  const byId = new Map(stored.map(({ lead_id, email, status }) => [lead_id, `${email} ${status}`]))
  const accepted = stored.filter(({ status }) => status !== 'rejected').map(({ email }) => email)
  const customers = new Set([...run.leads.values()].map(lead => lead.split(' ')[0]))
  const recorded = (await rows('lead_id, event from events')).map(({ lead_id, event }) => `${lead_id} ${event}`)
  const lost = [
    ...[...run.leads].filter(([id, lead]) => byId.get(id) !== lead).map(([id]) => `lead ${id}`),
    ...[...customers].filter(email => !accepted.includes(email)),
    ...[...run.events].filter(event => !recorded.includes(event)),
  ]
  const twice = [...repeated(accepted), ...repeated(recorded)]
  const journal = await rows('data from requests')
  const noted = new Set(journal.flatMap(({ data }) => String(data).match(/(?<="x-request-id":")[^"]+/g) ?? []))
  const unnoted = (ids: readonly string[]) => ids.filter(id => !noted.has(id))
  violations.push(
    ...unnoted(caller.answered).map(id => `not in the journal: ${id}`),
    ...lost.map(what => `lost: ${what}`),
    ...twice.map(what => `twice: ${what}`),
    ...waiting.map(callback => `not delivered: ${JSON.stringify(callback)}`),
    ...recorded.filter(event => !received.has(event)).map(event => `callback not received: ${event}`),
    ...(await differences(fleet, [`${control}/${account.tenant}`, changed, `${changed}/clock`])),
  )
  return {
    submissions: stored.length,
    events: recorded.length,
    callbacks: callbacks.length,
    'of them again': callbacks.length - received.size,
    advances,
    lost: lost.length,
    twice: twice.length,
    'not in the journal': `${unnoted(caller.answered).length} of ${caller.answered.length}`,
    'of those with a 503': `${unnoted(caller.unavailable).length} of ${caller.unavailable.length}`,
    'longest time without a response': `${(caller.maxMs() / 1000).toFixed(1)} s`,
    violations,
  }
}

const repeated = (all: readonly unknown[]) => all.filter((each, index) => all.indexOf(each) < index)

/** Submits one lead after another, a tenth of them for known customers, and reports two events on each. */
async function submitAll(run: Run, { call }: Caller, client: number): Promise<void> {
  const { account, random, leads, events } = run
  const create = createTestLeads(account)
  const path = `${basePath}/lead`
  for (let n = 0; run.going; n++) {
    const isNew = n === 0 || random() > 0.1
    const lead = create.distributed()
    lead.customer.contact.email.address = `${client}-${isNew ? n : Math.floor(random() * n)}@example.net`
    const { lead_id, status, redirect_url } = await call('POST', path, lead, account.publisher.api_key)
    if (lead_id !== undefined) leads.set(lead_id, `${lead.customer.contact.email.address} ${status}`)
    if (status === 'distributed') {
      const id = new URL(redirect_url).pathname.split('/').at(-1)
      const advertiser = account.advertisers.find(({ advertiser_id }) => advertiser_id === id)
      if (!advertiser) throw new Error(`No advertiser has the lead ${lead_id}.`)
      const token = await leadToken({ ...advertiser, lead_id }, account.settings.token_format)
      await call('GET', `${path}/${lead_id}/status?token=${token}&event=registration`)
      await call('POST', `${path}/${lead_id}/status`, { status: 'approved' }, advertiser.api_key)
      for (const event of ['registration', 'approved']) events.add(`${lead_id} ${event}`)
    }
    await wait(random() * pauseMs)
  }
}

/** Adds products to a tenant and advances its clock. Each acknowledged change must take effect exactly once. */
async function changeAll(run: Run, { attempt, call }: Caller, tenant: string) {
  const added: string[] = []
  let [advanced, unknown] = [0, 0]
  const before = Date.parse((await call('GET', `${tenant}/clock`)).now)
  for (let n = 0; run.going; n++) {
    if (await attempt('POST', `${tenant}/clock/advance`, { by: 'PT1M' })) advanced += 1
    else unknown += 1
    const product_id = randomUUID()
    if (n < 90 && (await attempt('PATCH', tenant, { products: [{ product_id, name: `${n}` }] }))) added.push(product_id)
    await wait(pauseMs)
  }
  const violations: string[] = []
  const advances = (Date.parse((await call('GET', `${tenant}/clock`)).now) - before) / 60_000
  if (!(advances >= advanced && advances <= advanced + unknown))
    violations.push(`the clock moved by ${advances}: ${advanced} advances were acknowledged, ${unknown} were not`)
  const { products }: Account = await call('GET', tenant)
  const there = new Set(products.map(({ product_id }) => product_id))
  for (const id of added) if (!there.has(id)) violations.push(`product ${id} is gone`)
  return { violations, advances }
}

/** Returns the paths whose responses differ between the sandboxes. */
async function differences({ up }: Fleet, paths: readonly string[]): Promise<string[]> {
  const differing = paths.map(async path => {
    const shown = Array.from(up, ({ url }) => fetch(url + path).then(response => response.text()))
    const kinds = new Set((await Promise.all(shown)).map(text => text.replaceAll(/:\d{4,5}\b/g, '')))
    return kinds.size === 1 ? [] : [`${path} differs: ${[...kinds].join('\n')}`]
  })
  return (await Promise.all(differing)).flat()
}

/**
 * A short run, or `LEAD_TEST_CRASHES` long ones. `LEAD_TEST_SEED` repeats the order of a run whose test
 * failed: its message names the seed.
 */
const longRuns = Number(process.env.LEAD_TEST_CRASHES ?? 0)
const seed = Number(process.env.LEAD_TEST_SEED ?? randomInt(2 ** 31))

const times = (count: number, what: Disturbance) => Array.from({ length: count }, () => what)
const disturbances =
  longRuns > 0
    ? [...times(16, 'kill'), ...times(3, 'stop'), ...times(2, 'restart')]
    : [...times(5, 'kill'), ...times(1, 'stop'), ...times(1, 'restart')]

const processes = launcher()

it(`loses and duplicates nothing while processes are killed and the database restarts (seed ${seed})`, {
  timeout: 900_000 * Math.max(1, longRuns),
}, async () => {
  const random = randomOf(seed)
  await using postgres = await startPostgres()
  await using fleet = await startFleet(processes, postgres, 4, random)
  for (let run = 1; run <= Math.max(1, longRuns); run++) {
    const { violations, ...figures } = await crash(`run-${run}`, postgres, fleet, disturbances, random)
    if (longRuns > 0) console.log(run, figures)
    expect(violations.slice(0, 10)).toEqual([])
    // Without work, nothing could be lost.
    expect(Math.min(figures.submissions, figures.events, figures.callbacks, figures.advances)).toBeGreaterThan(0)
  }
})
