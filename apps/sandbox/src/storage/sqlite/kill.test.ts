import { DatabaseSync } from 'node:sqlite'
import type { SandboxStorage } from '@lead-distribution/simulator'
import { callbackRecord, leadRecord, tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { expect, it, onTestFinished } from 'vitest'
import { acknowledgedBeforeKill } from '../contract/kill.fixture.ts'
import { listRecords, restoreSnapshot, temporaryFile } from '../contract/storage.fixture.ts'
import { openSqliteStorage } from './sqlite-storage.ts'

/** Checks every page, index and reference of the file that the killed process left. */
function expectSound(file: string): void {
  const database = new DatabaseSync(file)
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
  database.close()
}

async function killed(...given: Parameters<typeof acknowledgedBeforeKill>): Promise<string[]> {
  const acknowledged = await acknowledgedBeforeKill(...given)
  expectSound(given[1])
  return acknowledged
}

const loads = (['commit', 'checkpoint'] as const).flatMap(way => [50, 5_000].map(lines => [way, lines] as const))

it.each(loads)('keeps every acknowledged lead with its claim when it is killed in %s after %d', async (way, lines) => {
  const file = temporaryFile()
  const made = await openSqliteStorage(file)
  await made.addTenant(tenantRecord('t1'))
  await made.close()

  const acknowledged = await killed(way, file, lines)
  expect(acknowledged.length).toBeGreaterThanOrEqual(lines)

  const storage = await openSqliteStorage(file)
  onTestFinished(() => storage.close())
  await storage.of('t1').transact(async tables => {
    const next = Array.from({ length: 16 }, (_, loop) => {
      const count = acknowledged.filter(id => id.startsWith(`${loop}-`)).length
      return `${loop}-${count}`
    })
    const there = async (id: string) => {
      const lead = await tables.findLead(id)
      const customer = await tables.findCustomer('p1', `${id}@example.com`)
      expect(customer?.lead_id).toBe(lead?.lead_id)
      return lead !== undefined
    }
    for (const id of acknowledged) expect(await there(id)).toBe(true)
    for (const id of next) await there(id)
  })
})

const leadCount = 400

/** Changes everything visible of a tenant to one mark, and saves it under the mark. */
async function saveMarked(storage: SandboxStorage, mark: string): Promise<void> {
  await storage.clearTenant({ ...tenantRecord('t1'), seed: mark })
  await storage.of('t1').transact(async tables => {
    for (let n = 1000; n < 1000 + leadCount; n++) {
      await tables.addLead(leadRecord(`${mark}-${n}`, { email: mark }))
      await tables.addCallback(callbackRecord(`${mark}-${n}`, `${mark}-${n}`, { url: mark }))
    }
    await tables.addCoverage({ [mark]: 1 })
  })
  await storage.saveSnapshot('t1', { name: mark, saved_at: 0 })
}

/** Returns every mark on a tenant, with its number of occurrences. */
async function marksOf(storage: SandboxStorage): Promise<Record<string, number>> {
  const [tenant] = await listRecords(storage)
  return storage.of('t1').transact(async tables => {
    const leads = await tables.listLeads({ limit: 9_999 })
    const callbacks = await tables.listAllCallbacks({ limit: 9_999 })
    const coverage = await tables.readCoverage()
    const marks: Record<string, number> = {}
    for (const mark of [tenant?.seed ?? '', ...leads.map(({ email }) => email), ...callbacks.map(({ url }) => url)])
      marks[mark] = (marks[mark] ?? 0) + 1
    for (const mark of Object.keys(coverage)) marks[mark] = (marks[mark] ?? 0) + 1
    return marks
  })
}

// The operation after each line takes a few milliseconds: a save after the first lines, a restore after the others.
const moments = [1, 8].flatMap(lines => [0, 6, 12].map(ms => [ms, lines] as const))

it.each(moments)(
  'keeps a tenant and its snapshots consistent when it is killed %d ms after line %d',
  async (ms, lines) => {
    const file = temporaryFile()
    const made = await openSqliteStorage(file)
    await made.addTenant(tenantRecord('t1'))
    await saveMarked(made, 'odd')
    await saveMarked(made, 'even')
    await made.close()

    await killed('restore', file, lines, ms)

    const storage = await openSqliteStorage(file)
    onTestFinished(() => storage.close())
    const whole = ['odd', 'even'].map(mark => ({ [mark]: 2 * leadCount + 2 }))
    expect(whole).toContainEqual(await marksOf(storage))
    for (const { name } of await storage.listSnapshots('t1')) {
      await restoreSnapshot(storage, 't1', name)
      expect(whole).toContainEqual(await marksOf(storage))
    }
  },
)

it.each([3, 300])('keeps every tenant complete or deleted when it is killed after line %d', async lines => {
  const file = temporaryFile()
  const made = await openSqliteStorage(file)
  await made.addTenant(tenantRecord('t1'))
  await made.close()

  const acknowledged = await killed('delete', file, lines, lines % 7)
  const newest = acknowledged.length - 1

  const storage = await openSqliteStorage(file)
  onTestFinished(() => storage.close())
  const left = (await storage.listTenants()).map(({ tenant }) => tenant)
  // The operation in progress is either done or not: the next tenant is created, and this one deleted.
  expect(left.filter(name => acknowledged.includes(name))).toEqual(
    left.includes(`made-${newest}`) ? [`made-${newest}`] : [],
  )
  const numbers = left.filter(name => name !== 't1').map(name => Number(name.slice('made-'.length)))
  expect(numbers.length).toBeGreaterThan(0)
  for (const number of numbers) {
    const emails = Array.from({ length: 40 }, (_, lead) => `${number}-${lead}@example.com`)
    const claims = await storage
      .of(`made-${number}`)
      .transact(tables => Promise.all(emails.map(email => tables.findCustomer('p1', email))))
    const there = claims.filter(claim => claim !== undefined).length
    expect(number === newest ? [40] : [0, 40]).toContain(there)
  }
})
