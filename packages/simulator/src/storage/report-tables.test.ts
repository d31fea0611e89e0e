import { beforeEach, describe, expect, it } from 'vitest'
import { ageMark, openTables, scheduledReport } from './records.fixture.ts'
import type { SandboxTables } from './sandbox-tables.ts'

let tables: SandboxTables
beforeEach(async () => {
  tables = await openTables()
})

describe('reports', () => {
  const due = async (due_by: number, limit = 99) =>
    (await tables.listDueReports(due_by, limit)).map(({ report_id }) => report_id)
  const state = async () => [await tables.countReports(), await tables.nextReportDue()]
  beforeEach(async () => {
    const all = { r5: 300, r2: 100, r3: 301, r1: 200, r4: 100 }
    for (const [id, due_at] of Object.entries(all)) await tables.addReport(scheduledReport(id, { due_at }))
  })

  it('are listed when due, earliest first, then in insertion order', async () => {
    expect(await due(99)).toEqual([])
    expect(await due(100)).toEqual(['r2', 'r4'])
    expect(await due(300)).toEqual(['r2', 'r4', 'r1', 'r5'])
    expect(await due(300, 3)).toEqual(['r2', 'r4', 'r1'])
    expect(await due(300, 0)).toEqual([])
    expect(await tables.listDueReports(100, 1)).toStrictEqual([scheduledReport('r2')])
    expect([await tables.nextReportDue(100), await tables.nextReportDue(301)]).toEqual([200, undefined])
  })

  it('are no longer pending once removed', async () => {
    expect(await state()).toEqual([5, 100])
    for (const id of ['r2', 'r4', 'nobody', 'r2']) await tables.removeReport(id)
    expect(await state()).toEqual([3, 200])
    for (const id of await due(999)) await tables.removeReport(id)
    expect(await state()).toEqual([0, undefined])
  })
})

it("counts a chain's applied scenarios by key", async () => {
  expect(await tables.readChain('a')).toBe(0)
  await tables.setChain('a', 1)
  await tables.setChain('b', 7)
  await tables.setChain('a', 2)
  expect(await tables.listChains(9)).toEqual([
    ['a', 2],
    ['b', 7],
  ])
  expect(await tables.readChain('b')).toBe(7)
})

it('keeps the last version of each document', async () => {
  expect(await tables.readDocuments()).toEqual({})
  await tables.writeDocument('clock', { mode: 'frozen', now: 5 })
  await tables.writeDocument('ages', [ageMark(1)])
  await tables.writeDocument('clock', { mode: 'running', ahead_ms: 7 })
  expect(await tables.readDocuments()).toEqual({ clock: { mode: 'running', ahead_ms: 7 }, ages: [ageMark(1)] })
})
