import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { type Executor, statement } from '../sql/statement.ts'
import { createSqliteConnection } from './connection.ts'
import { createGroupCommit, type GroupLimits } from './group-commit.ts'

const add = statement<{ n: number }>('insert into numbers values (:n)')
const list = statement<object, { n: number }>('select n from numbers')
const addOf = statement<{ n: number }>('insert into parts values (:n)')

/** Opens a database whose commits fail while a part has no number, and records its commands. */
function opened(limits: Partial<GroupLimits> = {}) {
  const database = new DatabaseSync(':memory:')
  database.exec(`create table numbers (n integer primary key);
    create table parts (n integer references numbers (n) deferrable initially deferred);`)
  const connection = createSqliteConnection(database)
  const commands: string[] = []
  /** Commands that fail. */
  const failing = new Set<string>()
  const recording = {
    ...connection,
    command: (sql: string) => {
      commands.push(sql)
      if (failing.has(sql)) throw new Error('disk I/O error')
      connection.command(sql)
    },
  }
  const transactor = createGroupCommit(recording, { limits: { works: 256, ms: 1_000, workMs: 1_000, ...limits } })
  onTestFinished(() => transactor.close())
  const numbers = async () => (await transactor.transact(db => db.all(list, {}))).map(({ n }) => n)
  return { ...transactor, numbers, commands, failing }
}

it('commits once for all functions that arrive together', async () => {
  const { transact, numbers, commands } = opened()
  await Promise.all([1, 2, 3].map(n => transact(db => db.run(add, { n }))))
  expect(commands.filter(command => command === 'commit')).toHaveLength(1)
  expect(await numbers()).toEqual([1, 2, 3])
})

it('sets no savepoint for a function that only reads', async () => {
  const { numbers, commands } = opened()
  await numbers()
  expect(commands).toEqual(['begin immediate', 'commit'])
})

it('starts another commit after the maximum number of functions', async () => {
  const { transact, numbers, commands } = opened({ works: 2 })
  await Promise.all([1, 2, 3, 4, 5].map(n => transact(db => db.run(add, { n }))))
  expect(commands.filter(command => command === 'commit')).toHaveLength(3)
  expect(await numbers()).toHaveLength(5)
})

it('settles no promise before the commit', async () => {
  const { transact, commands } = opened()
  const seen = [1, 2].map(n => transact(db => db.run(add, { n })).then(() => commands.at(-1)))
  expect(await Promise.all(seen)).toEqual(['commit', 'commit'])
})

it('rejects a whole group if its commit fails, stores nothing of it, and continues', async () => {
  const { transact, numbers } = opened()
  const group = [transact(db => db.run(add, { n: 1 })), transact(db => db.run(addOf, { n: 99 }))]
  const results = await Promise.allSettled(group)
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await numbers()).toEqual([])
  await transact(db => db.run(add, { n: 2 }))
  expect(await numbers()).toEqual([2])
})

it('continues after a group that could neither be committed nor rolled back', async () => {
  const { transact, numbers, failing } = opened()
  failing.add('rollback')
  await expect(transact(db => db.run(addOf, { n: 99 }))).rejects.toThrow('FOREIGN KEY')
  await expect(transact(db => db.run(add, { n: 1 }))).rejects.toThrow('within a transaction')
  failing.clear()
  await expect(transact(db => db.run(add, { n: 1 }))).rejects.toThrow('within a transaction')
  await transact(db => db.run(add, { n: 2 }))
  expect(await numbers()).toEqual([2])
})

it("keeps a function's writes if it catches the error of another statement", async () => {
  const { transact, numbers } = opened()
  await transact(async db => {
    await db.run(add, { n: 1 })
    await expect(db.run(add, { n: 1 })).rejects.toThrow('UNIQUE')
    await db.run(add, { n: 2 })
  })
  expect(await numbers()).toEqual([1, 2])
})

it('discards a group that SQLite rolled back, including later writes of its functions', async () => {
  const { transact, numbers } = opened()
  const giveUp = statement<object>('rollback')
  const results = await Promise.allSettled([
    transact(db => db.run(add, { n: 1 })),
    transact(async db => {
      await db.run(giveUp, {})
      await db.run(add, { n: 2 })
    }),
    transact(db => db.run(add, { n: 3 })),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  expect(await numbers()).toEqual([3])
})

it('times out a function that does not settle, rolls it back, and continues with the next', async () => {
  const { transact, numbers } = opened({ workMs: 30 })
  const stuck = transact(async db => {
    await db.run(add, { n: 1 })
    await transact(inner => inner.run(add, { n: 2 }))
  })
  const next = transact(db => db.run(add, { n: 3 }))
  await expect(stuck).rejects.toThrow('A transaction did not settle within 30 ms and was rolled back')
  await next
  expect(await numbers()).toEqual([2, 3])
})

it("does not count the database's own time toward the time-out", async () => {
  const { transact, numbers } = opened({ workMs: 1 })
  const addMany = statement<{ count: number }>(
    'with recursive n (n) as (select 1 union all select n + 1 from n where n < :count) insert into numbers select * from n',
  )
  await transact(async db => {
    await db.run(addMany, { count: 50_000 })
    await db.run(add, { n: 0 })
  })
  expect(await numbers()).toHaveLength(50_001)
})

it('rejects calls after the function has ended', async () => {
  const { transact, numbers } = opened()
  let kept: Executor | undefined
  await transact(async db => {
    kept = db
  })
  await expect(kept?.run(add, { n: 1 })).rejects.toThrow('This transaction has ended')
  expect(await numbers()).toEqual([])
})
