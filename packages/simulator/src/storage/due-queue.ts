import type { UndoLog } from './undo-log.ts'

/** A record that waits for its time. */
export interface Waiting<Item> {
  readonly record: Item
  /** Its place in the order of adding. */
  readonly place: number
}

/** What waits, earliest first, equal times in the order of adding; what has no time comes last. */
export interface DueQueue<Item> {
  readonly waiting: readonly Waiting<Item>[]
  add(one: Waiting<Item>, log: UndoLog): void
  remove(one: Waiting<Item>, log: UndoLog): void
  copy(): DueQueue<Item>
}

/** A queue of what waits already, in its order. */
export function createDueQueue<Item extends { due_at?: number | undefined }>(
  waiting: Waiting<Item>[] = [],
): DueQueue<Item> {
  /** The place of one, or where it would be. */
  function indexOf(one: Waiting<Item>): number {
    let low = 0
    let high = waiting.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(waiting[middle] as Waiting<Item>, one)) low = middle + 1
      else high = middle
    }
    return low
  }
  const insert = (one: Waiting<Item>) => void waiting.splice(indexOf(one), 0, one)
  const take = (one: Waiting<Item>) => void waiting.splice(indexOf(one), 1)

  return {
    waiting,
    add(one, log) {
      log.push(() => take(one))
      insert(one)
    },
    remove(one, log) {
      log.push(() => insert(one))
      take(one)
    },
    copy: () => createDueQueue([...waiting]),
  }
}

function isBefore<Item extends { due_at?: number | undefined }>(a: Waiting<Item>, b: Waiting<Item>): boolean {
  const { due_at: dueOfA = Infinity } = a.record
  const { due_at: dueOfB = Infinity } = b.record
  return dueOfA === dueOfB ? a.place < b.place : dueOfA < dueOfB
}
