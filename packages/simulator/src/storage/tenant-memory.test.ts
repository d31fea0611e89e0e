import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDueQueue, createSortedList, createUndoLog, type Waiting } from './tenant-memory.ts'

type Item = { due_at?: number }

const dues = fc.array(fc.option(fc.nat(5), { nil: undefined }), { maxLength: 30 })
const waiting = (due_at: number | undefined, place: number): Waiting<Item> => ({
  record: due_at === undefined ? {} : { due_at },
  place,
})
const added = (all: readonly Waiting<Item>[]) => {
  const queue = createDueQueue<Item>()
  for (const one of all) queue.add(one, createUndoLog())
  return queue
}

it('has everything by its time, equal times by place, what has no time last', () => {
  fc.assert(
    fc.property(dues, times => {
      const all = times.map(waiting)
      const sorted = all.toSorted((a, b) => {
        const [dueOfA, dueOfB] = [a.record.due_at ?? 99, b.record.due_at ?? 99]
        return dueOfA - dueOfB || a.place - b.place
      })
      expect(added(all.toReversed()).items).toEqual(sorted)
    }),
  )
})

it('is as before once what was done to it is taken back, and a copy is not touched by it', () => {
  fc.assert(
    fc.property(dues, fc.array(fc.nat(29)), (times, removed) => {
      const all = times.map(waiting)
      const queue = added(all)
      const copy = queue.copy()
      const before = [...queue.items]
      const log = createUndoLog()
      queue.add(waiting(3, 30), log)
      for (const one of all.filter(({ place }) => removed.includes(place))) queue.remove(one, log)
      queue.add(waiting(undefined, 31), log)
      expect(copy.items).toEqual(before)
      log.rollBack()
      expect(queue.items).toEqual(before)
    }),
  )
})

it('finds the place of an item that is there, and of one that is not', () => {
  const list = createSortedList<number>((a, b) => a < b)
  for (const item of [5, 1, 3]) list.add(item, createUndoLog())
  expect([0, 1, 2, 3, 5, 6].map(list.indexOf)).toEqual([0, 0, 1, 1, 2, 3])
})
