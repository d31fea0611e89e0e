import { describe, expect, it } from 'vitest'
import { handMadeTime, noon, settled } from '../ports.fixture.ts'
import { type ClockState, createTenantClock } from './clock.ts'
import { createScheduler } from './scheduler.ts'
import { createTimeControl, latestTime } from './time-control.ts'

/** Time control over things that are due at some times, milliseconds after noon; it notes when each was done. */
function control({
  due = [],
  mode = 'frozen',
  keepMs = 0,
}: {
  due?: number[]
  mode?: ClockState['mode']
  keepMs?: number
} = {}) {
  const time = handMadeTime()
  const waiting = due.map(at => noon + at)
  const done: number[] = []
  const kept: ClockState[] = []
  const clock = createTenantClock(time.clock, mode === 'frozen' ? { mode, now: noon } : { mode, ahead_ms: 0 })
  const onceDone: (() => void)[] = []
  const scheduler = createScheduler({
    clock,
    timer: time.timer,
    stopping: new Error('It is closing.'),
    jobs: () => ({
      unfinished: () => undefined,
      run: async () => {
        const ready = waiting.filter(at => at <= clock.now()).sort((a, b) => a - b)
        for (const at of ready) waiting.splice(waiting.indexOf(at), 1)
        await settled()
        done.push(...ready.map(() => clock.now() - noon))
        if (ready.length > 0) onceDone.shift()?.()
        return { done: ready.length, nextDue: waiting.length === 0 ? undefined : Math.min(...waiting) }
      },
    }),
    onError: error => expect.fail(String(error)),
  })
  const control = createTimeControl({
    clock,
    realNow: time.clock.now,
    scheduler,
    timer: time.timer,
    async store(state) {
      kept.push(state)
      if (keepMs > 0) await time.advance(keepMs)
    },
  })
  return { time, clock, scheduler, control, done, kept, waiting, onceDone, now: () => clock.now() - noon }
}

describe('time control', () => {
  it('freezes and resumes at the time that the clock shows, and stores both', async () => {
    const { time, control: hand, kept, now } = control({ mode: 'running' })
    await time.advance(10)
    await hand.freeze()
    await time.advance(1000)
    expect(now()).toBe(10)
    await hand.resume()
    await time.advance(5)
    expect(now()).toBe(15)
    expect(kept).toEqual([
      { mode: 'frozen', now: noon + 10 },
      { mode: 'running', ahead_ms: -1000 },
    ])
  })

  it('is frozen from the moment of freezing, however long that takes to store', async () => {
    const { time, control: hand, now } = control({ mode: 'running', keepMs: 50 })
    const freezing = hand.freeze()
    const shown = [now()]
    await time.advance(10)
    shown.push(now())
    await freezing
    expect([...shown, now()]).toEqual([0, 0, 0])
  })

  it('never goes back, however long a change takes to store', async () => {
    const { control: hand, clock, now } = control({ mode: 'running', keepMs: 50 })
    let last = clock.now()
    const steps = [
      hand.freeze,
      hand.resume,
      () => hand.set(clock.now()),
      () => hand.advance(1),
      hand.freeze,
      hand.resume,
    ]
    for (const step of steps) {
      await step()
      expect(clock.now()).toBeGreaterThanOrEqual(last)
      last = clock.now()
    }
    expect(now()).toBeGreaterThan(0)
  })

  it.each(['frozen', 'running'] as const)(
    'sets a %s clock forward, and does what fell due at the new time',
    async mode => {
      const { control: hand, done, clock, now, scheduler } = control({ mode, due: [1000, 5000, 9000] })
      expect(await hand.set(noon + 5000)).toBe(true)
      await scheduler.settle()
      expect([clock.state().mode, now(), done]).toEqual([mode, 5000, [5000, 5000]])
    },
  )

  it.each([
    ['a millisecond back', noon - 1, false],
    ['the time that it is', noon, true],
    ['the latest time', latestTime, true],
    ['a millisecond past the latest time', latestTime + 1, false],
    ['a text that is no time', Number.NaN, false],
  ])('set to %s: is taken or refused', async (_title, at, taken) => {
    const { control: hand, clock, kept } = control()
    expect(await hand.set(at)).toBe(taken)
    expect([clock.now(), kept.length]).toEqual(taken ? [at, 1] : [noon, 0])
  })

  it('advances from time to time at which something is due, in order, and no further than the end', async () => {
    const { control: hand, done, now, waiting } = control({ due: [3000, 1000, 1000, 5000, 5001] })
    expect(await hand.advance(5000)).toBe(4)
    expect([done, now(), waiting]).toEqual([[1000, 1000, 3000, 5000], 5000, [noon + 5001]])
  })

  it('does by an advance what fell due before, and what falls due because of it', async () => {
    const { control: hand, done, waiting, onceDone } = control({ due: [-5, 100] })
    onceDone.push(
      () => {},
      () => waiting.push(noon + 150, noon + 250),
    )
    expect(await hand.advance(200)).toBe(3)
    expect(done).toEqual([0, 100, 150])
  })

  it('advances a running clock, which is frozen meanwhile and runs on after', async () => {
    const { time, control: hand, clock, done, now } = control({ mode: 'running', due: [1000] })
    const advancing = hand.advance(5000)
    await time.advance(100)
    expect([await advancing, done, clock.state().mode]).toEqual([1, [1000], 'running'])
    await time.advance(7)
    expect(now()).toBe(5007)
  })

  it('stores each step before the clock shows it, in the mode of the clock', async () => {
    const frozen = control({ due: [1000] })
    await frozen.control.advance(2000)
    expect(frozen.kept.map(state => state.mode === 'frozen' && state.now - noon)).toEqual([1000, 2000, 2000])
    const running = control({ mode: 'running', due: [1000] })
    await running.control.advance(2000)
    expect(running.kept).toEqual([1000, 2000, 2000].map(ahead_ms => ({ mode: 'running', ahead_ms })))
  })

  it('does not advance past the latest time', async () => {
    const { control: hand, now } = control({ due: [1] })
    expect([await hand.advance(latestTime - noon + 1), now()]).toEqual([undefined, 0])
    expect(await hand.advance(latestTime - noon)).toBe(1)
  })

  it('lets calls wait for each other: two advances at once run one after the other', async () => {
    const { control: hand, done, now } = control({ due: [1000, 2500, 3500] })
    expect(await Promise.all([hand.advance(2000), hand.advance(1000)])).toEqual([1, 1])
    expect([done, now()]).toEqual([[1000, 2500], 3000])
  })

  it('is held while something runs that wants the clock to itself', async () => {
    const { control: hand, now } = control({ due: [500] })
    const seen: number[] = []
    const advancing = hand.advance(1000)
    const holding = hand.hold(async () => {
      seen.push(now())
      await settled()
      seen.push(now())
    })
    await Promise.all([advancing, holding, hand.set(noon + 3000)])
    expect([seen, now()]).toEqual([[1000, 1000], 3000])
  })

  it('changes nothing where a change cannot be stored, and takes the next one', async () => {
    const { time, clock, scheduler } = control()
    const refusing = createTimeControl({
      clock,
      realNow: () => noon,
      scheduler,
      timer: time.timer,
      store: async () => {
        throw new Error('The disk is full.')
      },
    })
    await expect(refusing.set(noon + 1)).rejects.toThrow('The disk is full.')
    await expect(refusing.set(noon + 2)).rejects.toThrow('The disk is full.')
    expect(clock.now()).toBe(noon)
  })
})
