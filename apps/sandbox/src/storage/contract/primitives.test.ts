import type { LeadRecord } from '@lead-distribution/engine'
import {
  bringForward,
  callbacks,
  columnOf,
  countCallbacks,
  countLeads,
  coverage,
  createMemoryStorage,
  customers,
  dueCallbacks,
  events,
  leads,
  limitRetries,
  type NamedQuery,
  nextDueCallback,
  type PageRange,
  type SandboxStorage,
  type StoredCallback,
  searchLeads,
  type Table,
  type Transaction,
  type Value,
} from '@lead-distribution/simulator'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callbackRecord, eventRecord, leadRecord, primitivesOf, storages, tenantRecord } from './storage.fixture.ts'

/** A change of some table. */
type Change = (transaction: Transaction) => unknown

const ids = (letter: string) => fc.constantFrom(...[0, 1, 2, 3].map(n => `${letter}${n}`))
const time = fc.integer({ min: -2, max: 5 })

const callback = fc
  .record({
    id: fc.constantFrom(...[0, 1, 2, 3, 4, 5].map(n => `c${n}`)),
    lead: fc.constantFrom('l0', 'l0', 'l1'),
    state: fc.constantFrom('pending' as const, 'pending' as const, 'delivered' as const),
    due_at: fc.option(time, { nil: undefined }),
    held: fc.constantFrom(undefined, 'reorder' as const, 'delay' as const),
    leased_until: fc.constantFrom(undefined, 3, 9),
    tries: fc.nat(2),
    synthetic: fc.constantFrom(undefined, undefined, {}),
  })
  .map(({ id, lead, tries, ...more }) => ({
    ...callbackRecord(id, lead),
    ...more,
    attempts: Array.from({ length: tries }, (_, at) => ({ at, ms: 1, error: 'none \0 \ud800' })),
  }))

const lead = fc
  .record({
    id: ids('l'),
    email: fc.constantFrom('a@example.com', 'b_%!@example.com', '\ud800@example.com'),
    reason: fc.constantFrom(undefined, 'age_restriction' as const),
    received_at: time,
  })
  .map(({ id, reason, ...more }) =>
    leadRecord(id, { ...more, ...(reason && { status: 'rejected', rejection_reason: reason }) }),
  )

const customer = fc.record({
  email: ids('e'),
  product_id: ids('p'),
  lead_id: fc.option(ids('l'), { nil: undefined }),
  refused_at: fc.option(time, { nil: undefined }),
})

const changes: fc.Arbitrary<Change> = fc.oneof(
  callback.map(
    (record): Change =>
      tables =>
        tables.put(callbacks, record),
  ),
  lead.map(
    (record): Change =>
      tables =>
        tables.put(leads, record),
  ),
  customer.map(
    (record): Change =>
      tables =>
        tables.put(customers, record),
  ),
  fc.tuple(ids('l'), fc.constantFrom('sale', '\ud800', '\ufffe"')).map(
    ([id, event]): Change =>
      tables =>
        tables.claim(events, eventRecord(id, event)),
  ),
  fc.nat(3).map(
    (count): Change =>
      tables =>
        tables.add(coverage, { name: 'a', count }, 'count'),
  ),
  ids('c').map(
    (id): Change =>
      tables =>
        tables.remove(callbacks, 'key', { of: [id] }),
  ),
  ids('l').map(
    (id): Change =>
      tables =>
        tables.remove(callbacks, 'byLead', { of: [id] }),
  ),
  time.map(
    (at): Change =>
      tables =>
        tables.remove(callbacks, 'due', { through: [at] }),
  ),
  ids('l').map(
    (id): Change =>
      tables =>
        tables.remove(leads, 'key', { before: [id] }),
  ),
  ids('e').map(
    (email): Change =>
      tables =>
        tables.remove(customers, 'key', { from: [email], before: ['e3'] }),
  ),
)

/** Some changes of one transaction, which may fail in the end. */
const transactions = fc.array(
  fc.record({ changes: fc.array(changes, { maxLength: 6 }), fails: fc.constantFrom(false, false, true) }),
  {
    maxLength: 6,
  },
)

async function apply(
  storage: SandboxStorage,
  tenant: string,
  { changes, fails }: { changes: Change[]; fails: boolean },
) {
  const results: unknown[] = []
  const run = storage.of(tenant).transact(async tables => {
    results.length = 0
    for (const change of changes) results.push(await change(primitivesOf(tables)))
    if (fails) throw new Error('taken back')
  })
  await run.catch(error => expect(error.message).toBe('taken back'))
  return results
}

/** Reads every index of a table as a whole, and by ranges that its records bound. */
async function readTable(transaction: Transaction, table: Table): Promise<unknown> {
  const found: Record<string, unknown> = {}
  for (const [name, { on }] of Object.entries(table.indexes)) {
    const all = await transaction.scan(table, name as 'key', {})
    const columns = on.filter(column => column !== 'seq')
    const places = all.map(record => columns.map(column => columnOf(table, record, column)))
    const bounds = places.filter(place => !place.includes(null)).flatMap(place => rangesAt(place))
    const read = async (range: PageRange) => [
      JSON.stringify(range),
      await transaction.scan(table, name as 'key', range),
    ]
    found[name] = [
      // A value that is not there has no place: databases differ.
      on.some((_, index) => places.some(place => place[index] === null)) ? all.length : all,
      await transaction.count(table, name as 'key'),
      await Promise.all(bounds.map(read)),
    ]
  }
  for (const record of await transaction.scan(table, 'key', {})) {
    const key = table.key.map(column => columnOf(table, record, column))
    expect(await transaction.get(table, key)).toEqual(record)
  }
  return found
}

/** Ranges that begin and end at a place of an index. */
function rangesAt(place: readonly Value[]): PageRange[] {
  const [first = null, ...rest] = place
  return [
    { of: [first], order: 'descending', limit: 2 },
    { after: place, limit: 2 },
    { from: place, through: [first] },
    { before: place, order: 'descending' },
    ...(rest.length > 0
      ? [
          { of: [first], from: rest },
          { of: [first], before: rest },
        ]
      : []),
  ]
}

describe.each(Object.entries(storages))('the primitives: %s', (_name, open) => {
  let tenants = 0

  it('store, find and take back what those in memory do, by every index', async () => {
    const [memory, storage] = [createMemoryStorage(), await open()]
    await fc.assert(
      fc.asyncProperty(transactions, async works => {
        tenants += 1
        const tenant = `t${tenants}`
        for (const each of [memory, storage]) await each.addTenant(tenantRecord(tenant))
        for (const work of works) expect(await apply(storage, tenant, work)).toEqual(await apply(memory, tenant, work))
        for (const table of [callbacks, leads, customers, events, coverage] as Table[]) {
          const read = (each: SandboxStorage) =>
            each.of(tenant).transact(tables => readTable(primitivesOf(tables), table))
          expect(await read(storage)).toEqual(await read(memory))
        }
      }),
      { numRuns: 40 },
    )
  })

  const filled = fc.record({
    callbacks: fc.uniqueArray(callback, { selector: ({ callback_id }) => callback_id, minLength: 2 }),
    leads: fc.uniqueArray(lead, { selector: ({ lead_id }) => lead_id }),
    now: time,
    span: fc.integer({ min: 1, max: 3 }),
  })

  it('answer a named query as the database does, and change the same by it', async () => {
    const storage = await open()
    await fc.assert(
      fc.asyncProperty(filled, async ({ now, span, ...content }) => {
        const [inSql, overPrimitives] = [await fill(content), await fill(content)]
        const search = { from: now, rows: 3, limit: 2 }
        for (const [query, params] of [
          [countLeads, { from: now, span, rows: 3 }],
          [countCallbacks, { from: now, rows: 3 }],
          [searchLeads, { ...search, email_part: '_%!' }],
          [searchLeads, { ...search, before: 'l2', email: 'a@example.com', reason: 'age_restriction' }],
          [dueCallbacks, { due_by: now, now: 3, limit: 2 }],
          [nextDueCallback, { after: now }],
          [limitRetries, { now }],
          [bringForward, { ms: span, after: now }],
        ] as [NamedQuery<object, object>, object][]) {
          const found = await inSql(async transaction => [
            sorted(await transaction.query(query, params)),
            await transaction.scan(callbacks, 'key', {}),
          ])
          const expected = await overPrimitives(async transaction => [
            sorted(await query.run(transaction, params)),
            await transaction.scan(callbacks, 'key', {}),
          ])
          expect(found, query.name).toEqual(expected)
        }
      }),
      { numRuns: 100 },
    )

    /** A new tenant that has some callbacks and leads, and the way to run a transaction of it. */
    async function fill(content: { callbacks: StoredCallback[]; leads: LeadRecord[] }) {
      tenants += 1
      const tenant = `t${tenants}`
      await storage.addTenant(tenantRecord(tenant))
      const run = <Result>(work: (transaction: Transaction) => Promise<Result>) =>
        storage.of(tenant).transact(tables => work(primitivesOf(tables)))
      await run(async transaction => {
        for (const record of content.callbacks) transaction.insert(callbacks, record)
        for (const record of content.leads) transaction.insert(leads, record)
      })
      return run
    }
  })

  const sorted = (rows: readonly object[]) => rows.map(row => JSON.stringify(Object.entries(row).sort())).sort()
})
