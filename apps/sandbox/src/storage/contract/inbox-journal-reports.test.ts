import type { Storage } from '@lead-distribution/engine'
import type { CallBodies, RequestRecord, SandboxTables } from '@lead-distribution/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import { adapters, ageMark, inboxEntry, requestRecord, scheduledReport, twoTenants } from './storage.fixture.ts'

describe.each(Object.entries(adapters))('what came in: %s', (_name, open) => {
  let storage: Storage<SandboxTables>
  let other: Storage<SandboxTables>
  beforeEach(async () => {
    ;[storage, other] = await twoTenants(open)
  })

  describe('the journal', () => {
    const add = (...numbers: number[]) =>
      storage.transact(tables => tables.addRequests(numbers.map(number => requestRecord(number))))
    const trim = (below: number) => storage.transact(tables => tables.trimRequests(below))
    /** Every request below a number, read until no more come. */
    const readAll = (before?: number, place = storage) =>
      place.transact(async tables => {
        const all: RequestRecord[] = []
        for (let some = await tables.readRequests(before); some.length > 0; ) {
          all.push(...some)
          some = await tables.readRequests(some.at(-1)?.number)
        }
        return all.map(({ number }) => number)
      })

    it('gives nothing where nothing was added', async () => {
      expect(await readAll()).toEqual([])
      await add()
      expect(await readAll()).toEqual([])
    })

    it('gives a request back as it was', async () => {
      const whole = requestRecord(1, {
        lead_id: 'l1',
        reason: 'age_restriction',
        event: 'sale',
        check: 'shape',
        fault_id: 'f1',
        broken: 'cut',
        issues: [{ path: 'customer', message: 'ñ' } as never],
      })
      await storage.transact(tables => tables.addRequests([whole]))
      expect(await storage.transact(tables => tables.readRequests())).toStrictEqual([whole])
    })

    it('numbers what is appended, at least from a number', async () => {
      const append = async (from: number, ...paths: string[]) => {
        const appended = await storage.transact(tables =>
          tables.appendRequests(
            paths.map(path => {
              const { number: _, ...entry } = requestRecord(0, { path })
              return entry
            }),
            from,
          ),
        )
        return appended()
      }
      expect(await append(1)).toBe(1)
      expect(await append(1, '/1', '/2')).toBe(1)
      expect(await append(3, '/3')).toBe(3)
      expect(await append(7, '/7', '/8')).toBe(7)
      expect(await readAll()).toEqual([8, 7, 3, 2, 1])
      expect(await readAll(8)).toEqual([7, 3, 2, 1])
      const [newest] = await storage.transact(tables => tables.readRequests())
      expect(newest).toStrictEqual(requestRecord(8, { path: '/8' }))
    })

    it('gives all that were added, newest first, only of its own tenant', async () => {
      await add(1)
      await add(2, 3, 4)
      await add(7, 9)
      expect(await readAll()).toEqual([9, 7, 4, 3, 2, 1])
      expect(await readAll(undefined, other)).toEqual([])
    })

    it.each([
      [1, []],
      [2, [1]],
      [3, [2, 1]],
      [5, [4, 3, 2, 1]],
      [7, [4, 3, 2, 1]],
      [8, [7, 4, 3, 2, 1]],
      [99, [9, 7, 4, 3, 2, 1]],
    ])('gives those below %d', async (before, expected) => {
      await add(1)
      await add(2, 3, 4)
      await add(7, 9)
      expect(await readAll(before)).toEqual(expected)
    })

    it('forgets what is below a number, and nothing else', async () => {
      await add(1, 2)
      await add(3, 4)
      await add(5, 6)
      await trim(3)
      expect(await readAll()).toEqual([6, 5, 4, 3])
      await trim(4)
      expect((await readAll()).filter(number => number >= 4)).toEqual([6, 5, 4])
      await trim(1)
      expect((await readAll()).filter(number => number >= 4)).toEqual([6, 5, 4])
      await trim(7)
      expect(await readAll()).toEqual([])
      await add(7)
      expect(await readAll()).toEqual([7])
    })

    describe('the bodies of calls', () => {
      const entry = () => {
        const { number: _, ...kept } = requestRecord(0)
        return kept
      }
      const bodiesOf = (text: string): CallBodies => ({
        request: { state: 'whole', text },
        response: { state: 'truncated', text: '{"ñ' },
      })
      const append = async (from: number, ...bodies: (CallBodies | null)[]) => {
        const appended = await storage.transact(tables =>
          tables.appendRequests(
            bodies.map(() => entry()),
            from,
            bodies,
          ),
        )
        return appended()
      }
      const read = (number: number, place = storage) => place.read(tables => tables.readBodies(number))
      const readAll = () => Promise.all([1, 2, 3, 4, 5].map(number => read(number)))

      it('are those of each, and of a request without any there are none', async () => {
        await append(1, bodiesOf('1'), null)
        await storage.transact(async tables => tables.appendRequests([entry()], 3))
        await append(4, null, bodiesOf('5'))
        expect(await readAll()).toEqual([bodiesOf('1'), undefined, undefined, undefined, bodiesOf('5')])
        expect(await read(1, other)).toBeUndefined()
        expect(await read(6)).toBeUndefined()
        expect(await storage.read(tables => tables.readRequests())).not.toEqual([])
      })

      it('go below a number, and the requests stay', async () => {
        await append(1, bodiesOf('1'), bodiesOf('2'))
        await append(3, bodiesOf('3'))
        await append(4, bodiesOf('4'))
        await other.transact(tables => tables.trimBodies(99))
        await storage.transact(tables => tables.trimBodies(1))
        expect((await readAll()).map(each => each?.request?.text)).toEqual(['1', '2', '3', '4', undefined])
        await storage.transact(tables => tables.trimBodies(4))
        expect((await readAll()).map(each => each?.request?.text)).toEqual([
          undefined,
          undefined,
          undefined,
          '4',
          undefined,
        ])
        const newest = await storage.read(tables => tables.readRequests(4, 99))
        expect(newest.length).toBeGreaterThan(0)
        await storage.transact(tables => tables.trimRequests(5))
        expect(await read(4)).toBeUndefined()
      })
    })

    describe('the rejections of appended requests', () => {
      const rejection = (email: string) => ({
        at: 1,
        product_id: 'p1',
        reason: 'invalid_product' as const,
        email,
        loan_amount: 500,
        loan_term_months: 3,
      })
      const append = async (from: number, ...emails: (string | null)[]) => {
        const entries = emails.map(() => {
          const { number: _, ...entry } = requestRecord(0)
          return entry
        })
        const rejections = emails.map(email => (email === null ? null : rejection(email)))
        await storage.transact(tables => tables.appendRequests(entries, from, undefined, rejections))
      }
      const read = (before?: number, wanted = 9, place = storage) =>
        place.read(tables => tables.readRejections(before, wanted))
      const emails = async (before?: number, wanted?: number) =>
        (await read(before, wanted)).map(({ number, email }) => `${number} ${email}`)

      it('have the numbers of their requests, are read newest first, and go with them', async () => {
        await append(1, 'a', null, 'b')
        await append(4, null, null)
        await append(6, 'c')
        await append(7, 'd', 'ñ')
        expect(await read(2)).toEqual([{ number: 1, ...rejection('a') }])
        expect(await emails()).toEqual(['8 ñ', '7 d', '6 c', '3 b', '1 a'])
        expect(await emails(8)).toEqual(['7 d', '6 c', '3 b', '1 a'])
        expect((await emails(8, 2)).slice(0, 2)).toEqual(['7 d', '6 c'])
        expect([await emails(1), await read(undefined, undefined, other)]).toEqual([[], []])
        expect(await storage.read(tables => tables.findOldestRequest(5))).toMatchObject({ number: 5 })
        expect(await storage.read(tables => tables.findOldestRequest(9))).toBeUndefined()
        await other.transact(tables => tables.trimRequests(99))
        await trim(4)
        expect(await emails()).toEqual(['8 ñ', '7 d', '6 c'])
      })

      it('are added one by one from a file', async () => {
        await storage.transact(async tables => {
          await tables.addRejection({ number: 3, ...rejection('c') })
          await tables.addRejection({ number: 9, ...rejection('i') })
        })
        expect(await emails()).toEqual(['9 i', '3 c'])
      })
    })

    it('forgets nothing of another tenant', async () => {
      await add(1, 2)
      await other.transact(tables => tables.trimRequests(99))
      expect(await readAll()).toEqual([2, 1])
    })
  })

  describe('the inbox', () => {
    const list = (place = storage) => place.transact(tables => tables.listInbox({ limit: 9 }))
    const trim = (keep: number) => storage.transact(tables => tables.trimInbox(keep))
    beforeEach(() =>
      storage.transact(async tables => {
        for (const received_at of [3, 1, 2]) await tables.addInboxEntry(inboxEntry(received_at))
      }),
    )

    it('has what it took, newest first, only of its own tenant', async () => {
      expect(await list()).toEqual([2, 1, 3].map((at, index) => ({ number: 3 - index, ...inboxEntry(at) })))
      expect(await list(other)).toEqual([])
    })

    it('is read page by page, each below the number of the one before', async () => {
      await other.transact(tables => tables.addInboxEntry(inboxEntry(9)))
      const seen: number[] = []
      for (let before: number | undefined; ; ) {
        const [entry] = await storage.transact(tables => tables.listInbox({ before, limit: 1 }))
        if (!entry) break
        expect(entry.number).toBeLessThan(before ?? Infinity)
        before = entry.number
        seen.push(entry.received_at)
      }
      expect(seen).toEqual([2, 1, 3])
    })

    it.each([
      [4, [2, 1, 3]],
      [3, [2, 1, 3]],
      [2, [2, 1]],
      [1, [2]],
      [0, []],
    ])('keeps the newest %d', async (keep, expected) => {
      await other.transact(tables => tables.addInboxEntry(inboxEntry(9)))
      await trim(keep)
      expect((await list()).map(({ received_at }) => received_at)).toEqual(expected)
      await storage.transact(tables => tables.addInboxEntry(inboxEntry(4)))
      expect((await list()).map(({ received_at }) => received_at)).toEqual([4, ...expected])
      expect(await list(other)).toHaveLength(1)
    })
  })
})

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

    it('are in their order also after a removal was taken back', async () => {
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

  it('counts the applied scenarios of a chain by its key', async () => {
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

  it('keeps the last version of each document', async () => {
    expect(await storage.transact(tables => tables.readDocuments())).toEqual({})
    await storage.transact(async tables => {
      await tables.writeDocument('clock', { mode: 'frozen', now: 5 })
      await tables.writeDocument('ages', [ageMark(1)])
      await tables.writeDocument('clock', { mode: 'running', ahead_ms: 7 })
      expect(await tables.readDocuments()).toEqual({
        clock: { mode: 'running', ahead_ms: 7 },
        ages: [ageMark(1)],
      })
    })
    expect(await other.transact(tables => tables.readDocuments())).toEqual({})
  })

  it('adds to the coverage, also at the same time, and takes back what is not committed', async () => {
    const add = (counts: Record<string, number>) => storage.transact(tables => tables.addCoverage(counts))
    await add({})
    await Promise.all(Array.from({ length: 9 }, (_, n) => add({ "reason/ñ'": 1, [`outcome/${n % 2}`]: 2 })))
    const failed = storage.transact(async tables => {
      await tables.addCoverage({ "reason/ñ'": 100, new: 1 })
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    const coverage = { "reason/ñ'": 9, 'outcome/0': 10, 'outcome/1': 8 }
    expect(await storage.transact(tables => tables.readCoverage())).toEqual(coverage)
    expect(await other.transact(tables => tables.readCoverage())).toEqual({})
  })
})
