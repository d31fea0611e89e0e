import { setTimeout as wait } from 'node:timers/promises'

const stepMs = 20

/** Waits until something holds, at most so many milliseconds; answers whether it does. */
export async function until(holds: () => boolean, mostMs: number): Promise<boolean> {
  const end = performance.now() + mostMs
  while (!holds()) {
    if (performance.now() >= end) return false
    await wait(stepMs)
  }
  return true
}
