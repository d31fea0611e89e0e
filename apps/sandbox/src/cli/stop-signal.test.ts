import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { stopSignal } from './stop-signal.ts'

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('ends the process by a second signal, but only if it comes more than a second after the first', async () => {
  const before = new Set(signals.flatMap(signal => process.listeners(signal)))
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  const stopped = stopSignal(false)
  const ours = (signal: NodeJS.Signals) => process.listeners(signal).filter(listener => !before.has(listener))
  // Not `process.emit`: the test runner listens, too.
  const receive = (signal: NodeJS.Signals) => {
    for (const listener of ours(signal)) listener(signal)
  }
  try {
    receive('SIGTERM')
    await stopped
    vi.advanceTimersByTime(1_000)
    receive('SIGINT')
    expect(exit).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    receive('SIGINT')
    expect(exit.mock.calls).toEqual([[130]])
  } finally {
    for (const signal of signals) for (const listener of ours(signal)) process.off(signal, listener)
  }
})
