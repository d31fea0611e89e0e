import type { Storage } from '@lead-distribution/engine'
import type { SandboxTables } from '@lead-distribution/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import { adapters, scheduledReport, twoTenants } from './adapters.fixture.ts'

describe.each(Object.entries(adapters))('reports, chains and documents: %s', (_name, open) => {
  let storage: Storage<SandboxTables>
  let other: Storage<SandboxTables>
  beforeEach(async () => {
    ;[storage, other] = await twoTenants(open)
  })

  describe('reports', () => {
    const due = async (due_by: number, limit = 99) =>
      (await storage.transact(tables => tables.listDueReports(due_by, limit))).map(({ report_id }) => report_id)
    const next = (place = storage) => place.transact(tables => tables.nextReportDue())
    const count = (place = storage) => place.transact(tables => tables.countReports())
    const remove = (report_id: string, place = storage) => place.transact(tables => tables.removeReport(report_id))
    beforeEach(() =>
      storage.transact(async tables => {
        const all = { r5: 300, r2: 100, r3: 301, r1: 200, r4: 100 }
        for (const [id, due_at] of Object.entries(all)) await tables.addReport(scheduledReport(id, { due_at }))
      }),
    )

    it('come when they are due, earliest first, equal times in the order of adding', async () => {
      expect(await due(99)).toEqual([])
      expect(await due(100)).toEqual(['r2', 'r4'])
      expect(await due(300)).toEqual(['r2', 'r4', 'r1', 'r5'])
      expect(await due(300, 3)).toEqual(['r2', 'r4', 'r1'])
      expect(await due(300, 0)).toEqual([])
      expect(await storage.transact(tables => tables.listDueReports(100, 1))).toStrictEqual([scheduledReport('r2')])
    })

    it('wait no longer once they are removed', async () => {
      expect([await count(), await next()]).toEqual([5, 100])
      for (const id of ['r2', 'r4', 'nobody', 'r2']) await remove(id)
      expect([await count(), await next()]).toEqual([3, 200])
      for (const id of await due(999)) await remove(id)
      expect([await count(), await next()]).toEqual([0, undefined])
    })

    it('stand in their order also after a removal was taken back', async () => {
      const failed = storage.transact(async tables => {
        await tables.removeReport('r2')
        await tables.addReport(scheduledReport('r6', { due_at: 50 }))
        throw new Error('no')
      })
      await expect(failed).rejects.toThrow('no')
      expect(await due(300)).toEqual(['r2', 'r4', 'r1', 'r5'])
      expect([await count(), await next()]).toEqual([5, 100])
    })

    it('are those of one tenant', async () => {
      await remove('r1', other)
      expect([await count(other), await next(other), await count()]).toEqual([0, undefined, 5])
    })
  })

  it('counts the plays of a chain by its key', async () => {
    await storage.transact(async tables => {
      expect(await tables.readChain('a')).toBe(0)
      await tables.setChain('a', 1)
      await tables.setChain("b'; drop", 7)
      await tables.setChain('a', 2)
      expect(await tables.readChain('a')).toBe(2)
      expect(await tables.readChain("b'; drop")).toBe(7)
    })
    expect(await other.transact(tables => tables.readChain('a'))).toBe(0)
  })

  it('keeps documents, each as it was written last', async () => {
    expect(await storage.transact(tables => tables.readDocuments())).toEqual({})
    await storage.transact(async tables => {
      await tables.writeDocument('clock', { mode: 'frozen', now: 5 })
      await tables.writeDocument('coverage', { 'reason/ñ': 1 })
      await tables.writeDocument('clock', { mode: 'running', ahead_ms: 7 })
      expect(await tables.readDocuments()).toEqual({
        clock: { mode: 'running', ahead_ms: 7 },
        coverage: { 'reason/ñ': 1 },
      })
    })
    expect(await other.transact(tables => tables.readDocuments())).toEqual({})
  })
})
