import type { ChanceKey } from './chance-words.ts'
import { numberOfSeededUuid, seededUuid } from './seeded-uuid.ts'

/** The ids of a key, one after the other. */
export interface NumberedIds {
  next(): string
  /** Goes on behind the newest id that is kept; from the start where there is none. */
  put(newest: string | undefined): void
}

/** The ids of a key, from behind the newest one on. */
export function createNumberedIds(key: ChanceKey, newest: string | undefined): NumberedIds {
  let number = behind(newest)
  return {
    next: () => seededUuid(key, number++),
    put(id) {
      number = behind(id)
    },
  }
}

const behind = (newest: string | undefined) => (newest === undefined ? 0 : numberOfSeededUuid(newest) + 1)
