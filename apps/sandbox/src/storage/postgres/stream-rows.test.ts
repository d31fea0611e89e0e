import { requestRecord, tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { expect, it } from 'vitest'
import { closing } from '../contract/storage.fixture.ts'
import { createDatabase } from './connection.ts'
import { emptyDatabase, query } from './database.fixture.ts'
import { readDatabaseUrl } from './database-url.ts'
import { openPostgresStorage } from './postgres-storage.ts'
import { createStreamRows } from './stream-rows.ts'

/** Opens two processes with tenants whose functions share no transaction; both read streams. */
async function readingProcesses() {
  const url = await emptyDatabase()
  const [writer, reader] = [closing(await openPostgresStorage(url)), closing(await openPostgresStorage(url))]
  for (const name of ['a', 'b']) await writer.addTenant(tenantRecord(name))
  const read = async ({ shared }: typeof reader, isRead = true) => shared?.readChanges(isRead) ?? expect.unreachable()
  await read(reader)
  await read(writer)
  /** Stores an event in a transaction that ends like `end`. */
  const store = (tenant: string, type: string, end = async () => {}) =>
    writer.of(tenant).transact(async tables => {
      await tables.addStreamEvents?.([{ type, tenant }])
      await end()
    })
  const seenBy = async (process: typeof reader) => (await read(process)).events?.map(({ type }) => type)
  return { url, writer, reader, read, store, seen: () => seenBy(reader), seenByWriter: () => seenBy(writer) }
}

it('an event is returned by exactly one read, the first after its commit, even if commits happen out of order', async () => {
  const { store, seen, seenByWriter } = await readingProcesses()
  const commits = Promise.withResolvers<void>()
  const slow = store('a', 'slow', () => commits.promise)
  await store('b', 'quick')
  expect(await seen()).toEqual(['quick'])
  expect(await seen()).toEqual([])
  commits.resolve()
  await slow
  await store('b', 'next')
  expect(await seen()).toEqual(['slow', 'next'])
  expect(await seen()).toEqual([])
  // A process also finds its own events there.
  expect((await seenByWriter())?.sort()).toEqual(['next', 'quick', 'slow'])
})

it('an event of a rolled-back transaction is never returned', async () => {
  const { store, seen } = await readingProcesses()
  await expect(store('a', 'never', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await store('a', 'then')
  expect(await seen()).toEqual(['then'])
})

it('a request is returned with its number once it is in the journal, but not if it was restored or copied', async () => {
  const { writer, reader, read } = await readingProcesses()
  const { number: _, ...entry } = requestRecord(0)
  const append = (tenant: string, from: number) =>
    writer.of(tenant).transact(tables => tables.appendRequests([entry, entry], from))
  await append('a', 1)
  await append('b', 5)
  await writer.addSnapshot('b', { name: 'imported', saved_at: 0, record: tenantRecord('b') }, ({ transact }) =>
    transact(tables => tables.addRequests([requestRecord(9)])),
  )
  await writer.saveSnapshot('a', { name: 's', saved_at: 0 })
  await writer.restoreSnapshot('a', 's', async record => ({ record }))
  const seen = (await read(reader)).requests.map(({ tenant, request }) => [tenant, request.number])
  // Requests from before a reset belong to no tenant.
  expect(seen).toEqual([
    ['b', 5],
    ['b', 6],
  ])
  await append('a', 3)
  expect((await read(reader)).requests).toEqual([3, 4].map(number => ({ tenant: 'a', request: { number, ...entry } })))
})

it('a process that reads nothing gets nothing; once it reads, it gets later commits', async () => {
  const { reader, writer, read, store, seen } = await readingProcesses()
  expect((await read(writer)).isReadElsewhere).toBe(true)
  expect((await read(reader, false)).events).toEqual([])
  await store('a', 'unread')
  expect(await seen()).toEqual([])
  await store('a', 'read')
  expect(await seen()).toEqual(['read'])
})

it('a process that does not read for longer than the retention learns that it missed events', async () => {
  const { url, store } = await readingProcesses()
  const connection = await createDatabase(readDatabaseUrl(url)).connect()
  const rows = createStreamRows(1, 0)
  const read = async () => {
    const { events, done } = await rows.readChanges(connection, true)
    done()
    return events
  }
  expect(await read()).toEqual([])
  await store('a', 'missed')
  expect(await read()).toBeUndefined()
  await rows.removeOld(connection)
  expect(await query('select events from stream_events', url)).toEqual([])
  await connection.close()
})

it('a process that ended stops counting as a reader after a while', async () => {
  const { url, writer, reader, read } = await readingProcesses()
  await reader.close()
  expect((await read(writer)).isReadElsewhere).toBe(true)
  await query('update stream_readers set until = 0', url)
  expect((await read(writer)).isReadElsewhere).toBe(false)
  await writer.shared?.removeOld()
  expect(await query('select process from stream_readers', url)).toHaveLength(0)
})

it('a row or notification from another program is ignored', async () => {
  const { url, store, seen } = await readingProcesses()
  await query(`insert into stream_events (events) values ('x'), ('{}'), ('[null, 1, {"type": "lead"}]')`, url)
  await query(
    `insert into requests (tenant, first, last, data) select tenant, 1, 1, 'x' from tenants where name = 'a'`,
    url,
  )
  for (const payload of ['x', 'null', '{"from": 1, "type": "unknown"}'])
    await query(`select pg_notify('lead_sandbox_' || md5(current_schema()), '${payload}')`, url)
  await store('a', 'then')
  expect(await seen()).toEqual(['then'])
})

it('rows numbered by another server are not returned repeatedly after a restore', async () => {
  const { url, writer, read } = await readingProcesses()
  const { number: _, ...entry } = requestRecord(0)
  await writer.of('a').transact(tables => tables.appendRequests([entry], 1))
  await writer.of('a').transact(async tables => tables.addStreamEvents?.([{ type: 'old', tenant: 'a' }]))
  await writer.deleteTenant('b')
  // Like a dump of a server that has run more transactions than this one.
  const later = '(pg_current_xact_id()::text::bigint + 1000000)'
  await query(
    `update tenants set version = ${later}; update gone set version = ${later};
     update requests set version = ${later}::text::xid8; update stream_events set version = ${later}::text::xid8`,
    url,
  )
  const restored = closing(await openPostgresStorage(url))
  expect((await read(restored)).tenants.map(({ tenant }) => tenant)).toEqual(['a'])
  await restored.of('a').transact(async tables => tables.addStreamEvents?.([{ type: 'new', tenant: 'a' }]))
  const seen: unknown[] = []
  // A transaction in another database of this server may be older; until it ends, changes are read again.
  await expect
    .poll(async () => {
      const { events = ['lost'], requests, gone, tenants } = await read(restored)
      seen.push(...events, ...requests)
      return [gone, tenants]
    })
    .toEqual([[], []])
  expect(seen).toEqual([{ type: 'new', tenant: 'a' }])
})
