import { describe, expect, it } from 'vitest'
import { manualTime, settled } from '../ports.fixture.ts'
import { createNotifier } from './locks.ts'

/** A notifier, and a call that waits for a value. */
function waiting(ms = 1000) {
  const time = manualTime()
  const notifier = createNotifier(time.timer)
  const state: { word?: string; looked: number; onLook?: () => void } = { looked: 0 }
  const look = async () => {
    state.looked += 1
    const { word } = state
    await settled()
    state.onLook?.()
    return word
  }
  return { time, notifier, state, look, found: notifier.waitFor(look, ms) }
}

describe('a notifier', () => {
  it('is not missed while a call is in `find`', async () => {
    const { notifier, state, found } = waiting()
    state.onLook = () => {
      delete state.onLook
      state.word = 'here'
      notifier.notify()
    }
    expect([await found, state.looked]).toEqual(['here', 2])
  })

  it('releases a call whose caller has disconnected, without calling `find` again, and leaves no timer', async () => {
    const { notifier, state, time, look } = waiting()
    const gone = new AbortController()
    const left = notifier.waitFor(look, 1000, gone.signal)
    await settled()
    await settled()
    const { looked } = state
    state.word = 'here'
    gone.abort()
    expect([await left, state.looked, time.waiting()]).toEqual([undefined, looked, 1])
    expect(await notifier.waitFor(look, 1000, gone.signal)).toBeUndefined()
    expect([state.looked, time.waiting()]).toEqual([looked, 1])
  })

  it('wakes all waiting calls', async () => {
    const { notifier, state, look, found } = waiting()
    const other = notifier.waitFor(look, 1000)
    state.word = 'here'
    notifier.notify()
    expect(await Promise.all([found, other])).toEqual(['here', 'here'])
  })

  it('calls `find` a last time on a timeout', async () => {
    const { time, state, found } = waiting(1000)
    await time.advance(999)
    state.word = 'here'
    await time.advance(1)
    expect([await found, state.looked]).toEqual(['here', 2])
  })

  it('ends all current and later waits', async () => {
    const { notifier, found, time } = waiting()
    notifier.end()
    expect(await found).toBeUndefined()
    expect(await notifier.waitFor(async () => undefined, 1000)).toBeUndefined()
    expect(time.waiting()).toBe(0)
  })

  it('leaves no timer if `find` fails', async () => {
    const time = manualTime()
    const look = async () => {
      throw new Error('It failed.')
    }
    await expect(createNotifier(time.timer).waitFor(look, 1000)).rejects.toThrow('It failed.')
    expect(time.waiting()).toBe(0)
  })
})
