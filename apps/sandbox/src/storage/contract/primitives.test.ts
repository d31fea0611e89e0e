import type { LeadRecord } from '@lead-distribution/engine'
import {
  appendRequests,
  bodies,
  bringForward,
  callbacks,
  chains,
  columnOf,
  countCallbacks,
  countLeads,
  coverage,
  createMemoryStorage,
  customers,
  documents,
  dueCallbacks,
  events,
  type Index,
  inbox,
  leads,
  limitRetries,
  type NamedQuery,
  nextDueCallback,
  type PageRange,
  reports,
  requests,
  type SandboxStorage,
  type SandboxTables,
  type StoredCallback,
  searchLeads,
  type Table,
  type Transaction,
  tables,
  type Value,
} from '@lead-distribution/simulator'
import {
  callbackRecord,
  eventRecord,
  inboxEntry,
  leadRecord,
  requestRecord,
  scheduledReport,
  tenantRecord,
} from '@lead-distribution/simulator/records.fixture'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listRecords, primitivesOf, storages } from './storage.fixture.ts'

/** A change to a table, or a read between changes. */
type Change = (transaction: Transaction) => unknown

const ids = (letter: string) => fc.constantFrom(...[0, 1, 2, 3].map(n => `${letter}${n}`))
const time = fc.integer({ min: -2, max: 5 })

/** Values that a database or JSON might alter. */
const awkward: fc.Arbitrary<unknown> = fc.constantFrom(
  '\ud800 \udfff',
  'a\0b',
  '\\u0000',
  '👩‍👩‍👧 ñ 漢 \u2028 \ufffe',
  `'; drop table leads; -- " ? $1 :tenant \\`,
  JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
  [0, -1.5, 1e21, Number.MAX_SAFE_INTEGER],
  [null, '', [], {}],
)

const callback = fc
  .record({
    id: fc.constantFrom(...[0, 1, 2, 3, 4, 5].map(n => `c${n}`)),
    lead: fc.constantFrom('l0', 'l0', 'l1'),
    state: fc.constantFrom('pending' as const, 'pending' as const, 'delivered' as const),
    due_at: fc.option(time, { nil: undefined }),
    held: fc.constantFrom(undefined, 'reorder' as const, 'delay' as const),
    leased_until: fc.constantFrom(undefined, 3, 9),
    tries: fc.nat(2),
    error: fc.constantFrom('none \0 \ud800', '"},{"at":5,"x":"', '\\u0000 "at":9 [{ \u2028 \udfff'),
    synthetic: fc.constantFrom(undefined, undefined, {}),
  })
  .map(({ id, lead, tries, error, ...more }) => ({
    ...callbackRecord(id, lead),
    ...more,
    attempts: Array.from({ length: tries }, (_, at) => ({ at, ms: 1, error })),
  }))

const emails = ['a@example.com', 'b_%!@example.com', 'bx%!@example.com', 'b_y!@example.com', '\ud800\0@example.com']

/** Names and external ids: with accents, wildcards, what no database stores, another script, and a long one. */
const names = ['ÁNA', 'ana_%!', '\ud800\0ana', 'مُحمد', 'a'.repeat(300)]

const lead = fc
  .record({
    id: ids('l'),
    email: fc.constantFrom(...emails),
    reason: fc.constantFrom(undefined, 'age_restriction' as const),
    received_at: time,
    input: awkward,
    customer: fc.record({
      personal_data: fc.constantFrom(...names.map(first_name => ({ first_name, last_name: 'García' }))),
      external_id: fc.constantFrom(undefined, ...names),
    }),
  })
  .map(({ id, reason, input, customer, ...more }) =>
    leadRecord(id, {
      ...more,
      ...(reason && { status: 'rejected', rejection_reason: reason }),
      submission: { customer, note: input } as never,
      trace: [{ check: 'shape', verdict: 'passed', input }],
    }),
  )

const customer = fc.record({
  // PostgreSQL does not accept NUL, so it is escaped, as is the escape character.
  email: fc.constantFrom('e0', 'e1', '\ufffe"e"', '\uffff\0', '\uffff\ufffe0'),
  product_id: ids('p'),
  lead_id: fc.option(ids('l'), { nil: undefined }),
  refused_at: fc.option(time, { nil: undefined }),
})

const { number: _, ...request } = requestRecord(0)
const range = fc.record({ first: time, count: fc.nat(2) }).map(({ first, count }) => ({ first, last: first + count }))

/** Puts a record into a table. */
const put = <R extends object>(table: Table<R>, record: fc.Arbitrary<R>): fc.Arbitrary<Change> =>
  record.map(
    (each): Change =>
      transaction =>
        transaction.put(table, each),
  )

const changes: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: put(callbacks, callback), weight: 3 },
  { arbitrary: put(leads, lead), weight: 2 },
  { arbitrary: put(customers, customer), weight: 2 },
  put(
    reports,
    fc.record({ id: ids('r'), due_at: time }).map(({ id, due_at }) => scheduledReport(id, { due_at })),
  ),
  put(chains, fc.record({ chain: ids("h'"), applied: fc.nat() })),
  put(
    inbox,
    time.map(number => ({ number, ...inboxEntry(number) })),
  ),
  put(
    requests,
    range.map(each => ({ ...each, entries: [request] })),
  ),
  put(
    bodies,
    range.map(each => ({ ...each, bodies: [null] })),
  ),
  put(documents, fc.record({ name: fc.constantFrom('clock', 'ages'), value: fc.json() })),
  fc.tuple(ids('l'), fc.constantFrom('sale', '\ud800', '\ufffe"')).map(
    ([id, event]): Change =>
      transaction =>
        transaction.claim(events, eventRecord(id, event)),
  ),
  fc.nat(3).map(
    (count): Change =>
      transaction =>
        transaction.add(coverage, { name: "a/ñ'", count }, 'count'),
  ),
  fc
    .constantFrom<[Table<object, string>, string, (at: number) => object]>(
      [callbacks, 'key', at => ({ of: [`c${at}`] })],
      [callbacks, 'byLead', at => ({ of: [`l${at}`] })],
      [callbacks, 'due', at => ({ through: [at] })],
      [leads, 'key', at => ({ before: [`l${at}`] })],
      [customers, 'key', () => ({ from: ['e0'], before: ['e1'] })],
      [reports, 'key', at => ({ after: [`r${at}`], before: ['r9'] })],
    )
    .chain(([table, index, range]) =>
      time.map(
        (at): Change =>
          transaction =>
            transaction.remove(table, index, range(at)),
      ),
    ),
  ids('l').map(
    (id): Change =>
      transaction =>
        transaction.get(leads, [id]),
  ),
)

/** Changes of one transaction, which may fail at the end. */
const transaction = fc.record({
  changes: fc.array(changes, { maxLength: 6 }),
  fails: fc.constantFrom(false, false, true),
})

type Work = typeof transaction extends fc.Arbitrary<infer Found> ? Found : never

/** Makes the changes of a transaction and returns their results. */
async function run({ changes, fails }: Work, content: SandboxTables): Promise<unknown[]> {
  const results: unknown[] = []
  for (const change of changes) results.push(await change(primitivesOf(content)))
  if (fails) throw new Error('rolled back')
  return results
}

/** An operation on a tenant. Its results are compared. */
type Step = (storage: SandboxStorage, tenant: string) => Promise<unknown>

const snapshot = fc.constantFrom('a', 'a/ñ')

/** The seed of the restored record. */
const restored = 'restored'

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: transaction.map(
      (work): Step =>
        (storage, tenant) =>
          storage.of(tenant).transact(content => run(work, content)),
    ),
  },
  fc.tuple(snapshot, time).map(
    ([name, saved_at]): Step =>
      (storage, tenant) =>
        storage.saveSnapshot(tenant, { name, saved_at }),
  ),
  fc.tuple(fc.oneof(snapshot, fc.constant('')), transaction).map(
    ([name, work]): Step =>
      (storage, tenant) =>
        storage.restoreSnapshot(tenant, name, async (record, content) => ({
          record: { ...record, seed: restored },
          results: await run(work, content),
        })),
  ),
  fc.tuple(snapshot, transaction).map(
    ([name, work]): Step =>
      (storage, tenant) =>
        storage.addSnapshot(tenant, { name, saved_at: 9, record: tenantRecord(tenant) }, filling =>
          filling.transact(async content => void (await run(work, content))),
        ),
  ),
  snapshot.map(
    (name): Step =>
      (storage, tenant) =>
        storage.deleteSnapshot(tenant, name),
  ),
  fc.constantFrom<Step>(
    (storage, tenant) => storage.clearTenant({ ...tenantRecord(tenant), seed: 'cleared' }),
    (storage, tenant) =>
      storage.replaceTenant({ ...tenantRecord(tenant), blacklist: [{ email: '\ud800@example.com' }] }),
    async (storage, tenant) => {
      await storage.deleteTenant(tenant)
      return storage.addTenant(tenantRecord(tenant))
    },
  ),
)

/** Returns everything that a storage has of a tenant: its record, its tables by every index, and its snapshots. */
async function everythingOf(storage: SandboxStorage, tenant: string) {
  const record = (await listRecords(storage)).find(each => each.tenant === tenant)
  const listed = await storage.listSnapshots(tenant)
  const snapshots = listed.map(async ({ name }) => {
    const opened = await storage.openSnapshot(tenant, name)
    return [
      opened?.record,
      await opened?.storage.read(content => readTables(primitivesOf(content as SandboxTables), true)),
    ]
  })
  return [
    record,
    await storage.of(tenant).transact(content => readTables(primitivesOf(content), record?.seed === restored)),
    listed,
    await Promise.all(snapshots),
  ]
}

/** Reads every index of every table, as a whole and in ranges bounded by its records. */
async function readTables(transaction: Transaction, isCopied: boolean): Promise<unknown> {
  const found: Record<string, unknown> = {}
  for (const table of tables) {
    const all = await transaction.scan(table, 'key', {})
    for (const record of all) {
      const key = table.key.map(column => columnOf(table, record, column))
      expect(await transaction.get(table, key)).toEqual(record)
    }
    // Copies renumber the rows in the order of one index.
    const names = isCopied ? ['key', table.copyBy] : Object.keys(table.indexes)
    for (const name of names) found[`${table.name} ${name}`] = await readIndex(transaction, table, name as 'key')
  }
  return found
}

async function readIndex(transaction: Transaction, table: Table, name: 'key'): Promise<unknown> {
  const { on } = table.indexes[name] as Index
  const all = await transaction.scan(table, name, {})
  const columns = on.filter(column => column !== 'seq')
  const places = all.map(record => columns.map(column => columnOf(table, record, column)))
  const bounds = places.filter(place => !place.includes(null)).flatMap(place => rangesAt(place))
  const names = Object.keys(table.columns)
  const read = async (range: PageRange) => [
    JSON.stringify(range),
    await transaction.scan(table, name, range),
    (await transaction.columns(table, name, range)).map(record => names.map(column => record[column as never])),
  ]
  return [
    // Databases differ in where they sort a missing value.
    on.some((_, index) => places.some(place => place[index] === null)) ? all.length : JSON.stringify(all.map(sorted)),
    await transaction.count(table, name),
    await Promise.all(bounds.map(read)),
  ]
}

/** Returns a record with its fields in a fixed order, without undefined ones. */
const sorted = (row: object) =>
  Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))

/** Returns ranges that start and end at positions of an index. */
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

const databases = Object.entries(storages).filter(([name]) => name !== 'memory')

describe.each(databases)('primitives and operations on tenants: %s', (name, open) => {
  let runs = 0

  it('change, find and roll back like the memory storage, without affecting another tenant', async () => {
    const [memory, storage] = [createMemoryStorage(), await open()]
    const calls = fc.array(fc.record({ tenant: fc.constantFrom('a', 'b'), step: steps }), { maxLength: 7 })
    await fc.assert(
      fc.asyncProperty(calls, async calls => {
        runs += 1
        const names = ['a', 'b'].map(tenant => `${tenant}${runs}`)
        for (const each of [memory, storage]) for (const name of names) await each.addTenant(tenantRecord(name))
        for (const { tenant, step } of calls) {
          const done = (each: SandboxStorage) => step(each, `${tenant}${runs}`).catch(error => String(error))
          expect(await done(storage)).toEqual(await done(memory))
        }
        for (const name of names) expect(await everythingOf(storage, name)).toEqual(await everythingOf(memory, name))
      }),
      { numRuns: name === 'postgres' ? 20 : 40 },
    )
  })

  const filled = fc.record({
    callbacks: fc.uniqueArray(callback, { selector: ({ callback_id }) => callback_id, minLength: 2 }),
    leads: fc.uniqueArray(lead, { selector: ({ lead_id }) => lead_id }),
    now: time,
    span: fc.integer({ min: 1, max: 3 }),
  })

  it('answer named queries like the memory storage, with the same effects', async () => {
    const storage = await open()
    await fc.assert(
      fc.asyncProperty(filled, async ({ now, span, ...content }) => {
        const [inSql, overPrimitives] = [await fill(content), await fill(content)]
        const search = { from: now, rows: 3, limit: 2 }
        for (const [query, params] of [
          [countLeads, { from: now, span, rows: 3 }],
          [countCallbacks, { from: now, rows: 3 }],
          ...['b_', '_%!', 'Ana gar', '\ud800\0A', 'محمد', 'a'.repeat(299)].map(customer => [
            searchLeads,
            { ...search, rows: 9, customer },
          ]),
          ...['ana', 'A_%!', ...names].map(external_id => [searchLeads, { ...search, rows: 9, external_id }]),
          [searchLeads, { ...search, before: 'l2', email: 'a@example.com', reason: 'age_restriction' }],
          [dueCallbacks, { due_by: now, now: 3, limit: 2 }],
          [nextDueCallback, { after: now }],
          [limitRetries, { now }],
          [bringForward, { ms: span, after: now }],
          [appendRequests, { entries: [request, request], from: now, bodies: [null, {}] }],
          [appendRequests, { entries: [request], from: now + 9 }],
        ] as [NamedQuery<object, object>, object][]) {
          const changed = async (transaction: Transaction) =>
            Promise.all(
              ([callbacks, reports, requests, bodies] as Table[]).map(table => transaction.scan(table, 'key', {})),
            )
          const found = await inSql(async transaction => [
            ordered(await transaction.query(query, params)),
            await changed(transaction),
          ])
          const expected = await overPrimitives(async transaction => [
            ordered(await query.run(transaction, params)),
            await changed(transaction),
          ])
          expect(found, query.name).toEqual(expected)
        }
      }),
      { numRuns: name === 'postgres' ? 50 : 100 },
    )

    /** Creates a tenant with some callbacks and leads, and returns a function that runs its transactions. */
    async function fill(content: { callbacks: StoredCallback[]; leads: LeadRecord[] }) {
      runs += 1
      const tenant = `t${runs}`
      await storage.addTenant(tenantRecord(tenant))
      const run = <Result>(work: (transaction: Transaction) => Promise<Result>) =>
        storage.of(tenant).transact(content => work(primitivesOf(content)))
      await run(async transaction => {
        for (const record of content.callbacks) transaction.insert(callbacks, record)
        for (const record of content.leads) transaction.insert(leads, record)
        transaction.insert(reports, scheduledReport('r1', { due_at: 3 }))
      })
      return run
    }
  })

  const ordered = (rows: readonly object[]) => rows.map(row => JSON.stringify(sorted(row))).sort()
})
