import type { Storage } from '@lead-distribution/engine'
import type { RequestRecord, SandboxTables } from '@lead-distribution/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import { adapters, inboxEntry, requestRecord, twoTenants } from './adapters.fixture.ts'

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
        ...{ lead_id: 'l1', reason: 'age_restriction', event: 'sale', check: 'shape', fault_id: 'f1', broken: 'cut' },
        issues: [{ path: 'customer', message: 'ñ' } as never],
      })
      await storage.transact(tables => tables.addRequests([whole]))
      expect(await storage.transact(tables => tables.readRequests())).toStrictEqual([whole])
    })

    it('gives all that were added, newest first, of its own tenant alone', async () => {
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

    it('forgets nothing of another tenant', async () => {
      await add(1, 2)
      await other.transact(tables => tables.trimRequests(99))
      expect(await readAll()).toEqual([2, 1])
    })
  })

  describe('the inbox', () => {
    const list = (place = storage) => place.transact(tables => tables.listInbox())
    const trim = (keep: number) => storage.transact(tables => tables.trimInbox(keep))
    beforeEach(() =>
      storage.transact(async tables => {
        for (const received_at of [3, 1, 2]) await tables.addInboxEntry(inboxEntry(received_at))
      }),
    )

    it('has what it took in the order of arrival, of its own tenant alone', async () => {
      expect(await list()).toEqual([3, 1, 2].map(inboxEntry))
      expect(await list(other)).toEqual([])
    })

    it.each([
      [4, [3, 1, 2]],
      [3, [3, 1, 2]],
      [2, [1, 2]],
      [1, [2]],
      [0, []],
    ])('keeps the newest %d', async (keep, expected) => {
      await other.transact(tables => tables.addInboxEntry(inboxEntry(9)))
      await trim(keep)
      expect((await list()).map(({ received_at }) => received_at)).toEqual(expected)
      await storage.transact(tables => tables.addInboxEntry(inboxEntry(4)))
      expect((await list()).map(({ received_at }) => received_at)).toEqual([...expected, 4])
      expect(await list(other)).toHaveLength(1)
    })
  })
})
