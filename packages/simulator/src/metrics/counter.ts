import type { Sample } from './exposition.ts'

/** Something that is counted since the start, apart for each combination of its labels' values. */
export interface Counter {
  /** One more; the values in the order of the labels' names, each from a small closed set. */
  inc(...values: readonly string[]): void
  /** What was counted so far, in the order in which it was first seen. */
  samples(): Sample[]
}

/** A counter with labels of these names. */
export function createCounter(...names: readonly string[]): Counter {
  const series = new Map<string, { readonly values: readonly string[]; count: number }>()
  return {
    inc(...values) {
      const key = values.join('\n')
      const counted = series.get(key)
      if (counted) counted.count += 1
      else series.set(key, { values, count: 1 })
    },
    samples: () =>
      [...series.values()].map(({ values, count }) => ({
        labels: Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])),
        value: count,
      })),
  }
}
