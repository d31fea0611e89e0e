import type { UndoLog } from './undo-log.ts'

/** Items in an order, no two of them equal in it. What comes last costs least to add. */
export interface SortedList<Item> {
  readonly items: readonly Item[]
  /** The place of an item, or where it would be. */
  indexOf(item: Item): number
  add(item: Item, log: UndoLog): void
  remove(item: Item, log: UndoLog): void
  copy(): SortedList<Item>
}

/** A list in the order of `isBefore`, of items that are in it already. */
export function createSortedList<Item>(isBefore: (a: Item, b: Item) => boolean, items: Item[] = []): SortedList<Item> {
  function indexOf(item: Item): number {
    const last = items.at(-1)
    if (last === undefined || isBefore(last, item)) return items.length
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(items[middle] as Item, item)) low = middle + 1
      else high = middle
    }
    return low
  }
  const insert = (item: Item) => void items.splice(indexOf(item), 0, item)
  const take = (item: Item) => void items.splice(indexOf(item), 1)

  return {
    items,
    indexOf,
    add(item, log) {
      log.push(() => take(item))
      insert(item)
    },
    remove(item, log) {
      log.push(() => insert(item))
      take(item)
    },
    copy: () => createSortedList(isBefore, [...items]),
  }
}

/** A record that waits for its time. */
export interface Waiting<Item> {
  readonly record: Item
  /** Its place in the order of adding. */
  readonly place: number
}

/** What waits, earliest first, equal times in the order of adding; what has no time comes last. */
export function createDueQueue<Item extends { due_at?: number | undefined }>(): SortedList<Waiting<Item>> {
  const dueOf = ({ record: { due_at = Infinity } }: Waiting<Item>) => due_at
  return createSortedList((a, b) => (dueOf(a) === dueOf(b) ? a.place < b.place : dueOf(a) < dueOf(b)))
}
