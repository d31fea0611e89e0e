import { useSyncExternalStore } from 'react'
import { keep, readKept } from '../data/kept-item.ts'
import { toast } from './toasts.tsx'

/** A choice that is remembered in this browser, such as the theme. The first of its values is the default. */
export interface StoredChoice<Value extends string> {
  readonly values: readonly Value[]
  readonly read: () => Value
  /** Applies the current value to the page. */
  readonly apply: () => void
  readonly change: (value: Value) => void
  readonly subscribe: (listener: () => void) => () => void
}

/** Creates a choice. Each of its values is applied to the page as a `data-` attribute. */
function createStoredChoice<const Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
): StoredChoice<Value> {
  const key = `lead-sandbox.${name}`
  const listeners = new Set<() => void>()
  const read = () => values.find(value => value === readKept('localStorage', key)) ?? values[0]
  const apply = () => document.documentElement.setAttribute(`data-${name}`, read())
  return {
    values,
    read,
    apply,
    change(value) {
      if (!keep('localStorage', key, value))
        toast('This browser denies storage: this choice lasts until you reload or close the page.')
      apply()
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The current value of a choice. */
export function useStoredChoice<Value extends string>({ subscribe, read }: StoredChoice<Value>): Value {
  return useSyncExternalStore(subscribe, read)
}

/** The colors of the page. */
export const theme = createStoredChoice('theme', ['system', 'light', 'dark'])

/** The height of rows and controls, and the space around them. */
export const density = createStoredChoice('density', ['compact', 'comfortable'])

/** The single keys of lists. */
export const singleKeys = createStoredChoice('single-keys', ['on', 'off'])

/** How lists show new entries: at once, or only as a count. */
export const lists = createStoredChoice('lists', ['live', 'still'])
