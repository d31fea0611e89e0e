import { describe, expect, it } from 'vitest'
import { handMadeTime, noon, settled } from '../ports.fixture.ts'
import { createTenantClock } from './clock.ts'
import { createScheduler, type DueRun, type SchedulerOptions } from './scheduler.ts'

/** A scheduler of jobs that have ended when their run has. */
function schedulerOf({ run, ...work }: Omit<SchedulerOptions, 'jobs'> & { run: () => Promise<DueRun> }) {
  return createScheduler({ ...work, jobs: () => ({ run, unfinished: () => undefined }) })
}

/** A scheduler over times at which a job is due; it notes when each was done. */
function loopOver(due: number[]) {
  const time = handMadeTime()
  const log: number[] = []
  const errors: unknown[] = []
  const nextDue = () => (due.length === 0 ? undefined : Math.min(...due))
  const work = {
    run: async (): Promise<DueRun> => {
      const now = time.clock.now()
      const ready = due.filter(at => at <= now)
      for (const at of ready) due.splice(due.indexOf(at), 1)
      log.push(...ready.map(() => now - noon))
      return { done: ready.length, nextDue: nextDue() }
    },
    clock: createTenantClock(time.clock, { mode: 'running', ahead_ms: 0 }),
    timer: time.timer,
    stopping: new Error('It is closing.'),
    onError: (error: unknown) => void errors.push(error),
  }
  return { loop: schedulerOf(work), time, log, errors, due, nextDue, work }
}

describe('a scheduler', () => {
  it('does at once what falls due while it looks', async () => {
    const { work, time, log } = loopOver([noon + 50])
    let looks = 0
    const run = async () => {
      const ran = await work.run()
      if (++looks === 1) await time.advance(50)
      return ran
    }
    schedulerOf({ ...work, run }).wake()
    for (let turn = 0; turn < 3; turn++) await settled()
    await time.advance(0)
    expect([log, time.waiting()]).toEqual([[50], 0])
  })

  it('looks again for what came while a run was under way', async () => {
    const { loop, due, log, time } = loopOver([noon])
    loop.wake()
    due.push(noon)
    loop.wake()
    loop.wake()
    await settled()
    expect([log, time.waiting()]).toEqual([[0, 0], 0])
  })

  it('has one timer at most, however often it is woken', async () => {
    const { loop, time } = loopOver([noon + 5000])
    for (let turn = 0; turn < 10; turn++) {
      loop.wake()
      await settled()
    }
    expect(time.waiting()).toBe(1)
  })

  it('waits for what is due in years, by timers of a length that a timer can have', async () => {
    const year = 365 * 86_400_000
    const { work, time, log } = loopOver([noon + year])
    const lengths: number[] = []
    const timer: typeof time.timer = {
      after(ms, run) {
        lengths.push(ms)
        return time.timer.after(ms, run)
      },
    }
    schedulerOf({ ...work, timer }).wake()
    await time.advance(year)
    expect([log, Math.max(...lengths), time.waiting()]).toEqual([[year], 2 ** 31 - 1, 0])
  })

  it('reports an error and tries again a second later', async () => {
    const { work, time, errors, log, due } = loopOver([noon])
    const { run } = work
    work.run = async () => {
      work.run = run
      throw new Error('The disk is full.')
    }
    const loop = schedulerOf({ ...work, run: () => work.run() })
    loop.wake()
    await time.advance(999)
    expect([errors.length, log]).toEqual([1, []])
    await time.advance(1)
    expect([log, due]).toEqual([[1000], []])
  })

  it('looks again a second later, also on a frozen clock, while another process has what is due', async () => {
    const { work, time, due, nextDue } = loopOver([noon])
    const free = noon + 2500
    const clock = createTenantClock(time.clock, { mode: 'frozen', now: noon })
    const run = async () => (time.clock.now() >= free ? work.run() : { done: 0, nextDue: nextDue() })
    schedulerOf({ ...work, clock, run }).wake()
    await time.advance(2999)
    expect(due).toHaveLength(1)
    await time.advance(1)
    expect([due.length, time.waiting()]).toEqual([0, 0])
  })

  it('waits for nothing on a frozen clock, and does what is due when it is woken', async () => {
    const { work, time, due } = loopOver([noon + 1000])
    const clock = createTenantClock(time.clock, { mode: 'frozen', now: noon })
    const loop = schedulerOf({ ...work, clock })
    loop.wake()
    await settled()
    expect([due.length, time.waiting()]).toEqual([1, 0])
    await time.advance(1000)
    clock.restore({ mode: 'frozen', now: noon + 1000 })
    await loop.settle()
    expect([due.length, loop.state().done]).toEqual([0, 1])
  })

  it('pauses for exclusive work, and then does what fell due', async () => {
    const { loop, due, log, time } = loopOver([noon + 1000])
    loop.wake()
    await settled()
    await loop.pause(async () => {
      due.push(noon)
      loop.wake()
      await time.advance(1000)
      expect([log, time.waiting()]).toEqual([[], 0])
    })
    await settled()
    expect(log).toEqual([1000, 1000])
    await expect(
      loop.pause(async () => {
        throw new Error('It failed.')
      }),
    ).rejects.toThrow('It failed.')
    due.push(noon)
    await loop.settle()
    expect(due).toEqual([])
  })
})
