import { describe, expect, it } from 'vitest'
import { handMadeTime, settled } from '../ports.fixture.ts'
import { createNotifier } from './notifier.ts'

/** A signal, and somebody who waits for a word. */
function waiting(ms = 1000) {
  const time = handMadeTime()
  const signal = createNotifier(time.timer)
  const state: { word?: string; looked: number; onLook?: () => void } = { looked: 0 }
  const look = async () => {
    state.looked += 1
    const { word } = state
    await settled()
    state.onLook?.()
    return word
  }
  return { time, signal, state, look, found: signal.waitFor(look, ms) }
}

describe('a signal', () => {
  it('lets find at once what is there, and leaves no timer behind', async () => {
    const time = handMadeTime()
    const found = await createNotifier(time.timer).waitFor(async () => 'there', 1000)
    expect([found, time.waiting()]).toEqual(['there', 0])
  })

  it('has those who wait look again when it is raised', async () => {
    const { signal, state, found, time } = waiting()
    await settled()
    await settled()
    state.word = 'here'
    signal.notify()
    expect([await found, state.looked, time.waiting()]).toEqual(['here', 2, 0])
  })

  it('is not missed by one who is looking', async () => {
    const { signal, state, found } = waiting()
    state.onLook = () => {
      delete state.onLook
      state.word = 'here'
      signal.notify()
    }
    expect([await found, state.looked]).toEqual(['here', 2])
  })

  it('wakes all who wait', async () => {
    const { signal, state, look, found } = waiting()
    const other = signal.waitFor(look, 1000)
    state.word = 'here'
    signal.notify()
    expect(await Promise.all([found, other])).toEqual(['here', 'here'])
  })

  it('has them look a last time when their time is up', async () => {
    const { time, state, found } = waiting(1000)
    await time.advance(999)
    state.word = 'here'
    await time.advance(1)
    expect([await found, state.looked]).toEqual(['here', 2])
  })

  it('answers nothing when the time is up, at once where there is none', async () => {
    const { time, found, signal } = waiting(1000)
    await time.advance(1000)
    expect(await found).toBeUndefined()
    const none = signal.waitFor(async () => undefined, 0)
    await time.advance(0)
    expect(await none).toBeUndefined()
  })

  it('ends all waiting, and that of those who come later', async () => {
    const { signal, found, time } = waiting()
    signal.end()
    expect(await found).toBeUndefined()
    expect(await signal.waitFor(async () => undefined, 1000)).toBeUndefined()
    expect(time.waiting()).toBe(0)
  })

  it('leaves no timer behind where looking fails', async () => {
    const time = handMadeTime()
    const look = async () => {
      throw new Error('It failed.')
    }
    await expect(createNotifier(time.timer).waitFor(look, 1000)).rejects.toThrow('It failed.')
    expect(time.waiting()).toBe(0)
  })
})
