import { expect, it } from 'vitest'
import { closing, tenantRecord } from '../contract/storage.fixture.ts'
import { connect } from './connection.ts'
import { emptyDatabase, query } from './database.fixture.ts'
import { openPostgresStorage } from './postgres-storage.ts'
import { createStreamRows } from './stream-rows.ts'

/** Two processes with tenants whose works share no transaction, of which the second reads all streams. */
async function readingProcess() {
  const url = await emptyDatabase()
  const [writer, reader] = [closing(await openPostgresStorage(url)), closing(await openPostgresStorage(url))]
  for (const name of ['a', 'b']) await writer.addTenant(tenantRecord(name))
  await reader.shared?.readStreams([null])
  const process = writer.shared?.process ?? expect.unreachable()
  /** Stores an event in a transaction that ends as `end` does. */
  const store = (tenant: string, type: string, end = async () => {}) =>
    writer.of(tenant).transact(async tables => {
      await tables.addStreamEvents?.(process, [{ type, tenant }])
      await end()
    })
  const seenBy = async ({ shared }: typeof reader) => (await shared?.look())?.events?.map(({ type }) => type)
  return { url, writer, reader, store, seen: () => seenBy(reader), seenByWriter: () => seenBy(writer) }
}

it('an event is in one look, the first after its commit, also where one that began later was committed before', async () => {
  const { store, seen } = await readingProcess()
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
})

it('an event of a transaction that is taken back is in none', async () => {
  const { store, seen } = await readingProcess()
  await expect(store('a', 'never', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await store('a', 'then')
  expect(await seen()).toEqual(['then'])
})

it('a process gets none of its own events, and none while it reads nothing', async () => {
  const { reader, writer, store, seen, seenByWriter } = await readingProcess()
  await writer.shared?.readStreams(['a'])
  await store('a', 'own')
  expect(await seenByWriter()).toEqual([])
  expect((await writer.shared?.look())?.readElsewhere).toEqual([null])
  await reader.shared?.readStreams([])
  expect(await seen()).toEqual([])
  expect((await writer.shared?.look())?.readElsewhere).toEqual([])
})

it('a process that did not look for longer than events are kept learns that it missed some', async () => {
  const { url, store } = await readingProcess()
  const connection = await connect({ connectionString: url }, 'The database')
  const rows = createStreamRows(1, 0)
  const look = async () => {
    const { events, done } = await rows.look(connection)
    done()
    return events
  }
  await rows.live(connection)
  await rows.read(connection, ['a'])
  await store('a', 'missed')
  expect(await look()).toBeUndefined()
  await rows.removeOld(connection)
  expect(await query('select events from stream_events', url)).toEqual([])
  await connection.close()
})

it('names the processes that live, and forgets what one reads that does not', async () => {
  const { url, writer, reader } = await readingProcess()
  expect(await writer.shared?.listOthers()).toEqual([reader.shared?.process])
  await reader.close()
  await expect.poll(() => writer.shared?.listOthers()).toEqual([])
  expect(await query('select streams from stream_readers', url)).toHaveLength(1)
  await writer.shared?.removeOld()
  expect(await query('select streams from stream_readers', url)).toEqual([])
})
