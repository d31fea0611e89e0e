import { describe, expect, it } from 'vitest'
import { createTenantClock } from '../clock/tenant-clock.ts'
import { handMadeTime, noon, settled } from '../world.test.kit.ts'
import { createDueWork } from './due-work.ts'

/** A loop over times at which something is due; it notes when it delivered. */
function loopOver(due: number[]) {
  const time = handMadeTime()
  const log: number[] = []
  const faults: unknown[] = []
  const work = {
    runDue: async () => {
      const now = time.clock.now()
      const ready = due.filter(at => at <= now)
      for (const at of ready) due.splice(due.indexOf(at), 1)
      log.push(...ready.map(() => now - noon))
      return ready.length
    },
    nextDue: async () => (due.length === 0 ? undefined : Math.min(...due)),
    clock: createTenantClock(time.clock, { mode: 'running', ahead_ms: 0 }),
    onDone: () => undefined,
    timer: time.timer,
    onFault: (fault: unknown) => void faults.push(fault),
  }
  return { loop: createDueWork(work), time, log, faults, due, work }
}

describe('due work', () => {
  it('does nothing until it is woken, and waits for nothing where nothing is pending', async () => {
    const { loop, time, log } = loopOver([])
    await settled()
    expect([log, time.waiting()]).toEqual([[], 0])
    loop.wake()
    await settled()
    expect([log, time.waiting()]).toEqual([[], 0])
  })

  it('delivers what is due, and the rest when it falls due', async () => {
    const { loop, time, log } = loopOver([noon, noon + 5000, noon + 60_000])
    loop.wake()
    await time.advance(120_000)
    expect([log, time.waiting()]).toEqual([[0, 5000, 60_000], 0])
  })

  it('looks again for what came while it was at work', async () => {
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

  it('tells of a fault and tries again a second later', async () => {
    const { work, time, faults, log, due } = loopOver([noon])
    const { runDue } = work
    work.runDue = async () => {
      work.runDue = runDue
      throw new Error('The disk is full.')
    }
    const loop = createDueWork({ ...work, runDue: () => work.runDue() })
    loop.wake()
    await time.advance(999)
    expect([faults.length, log]).toEqual([1, []])
    await time.advance(1)
    expect([log, due]).toEqual([[1000], []])
  })

  it('stops when what is under way is done, and starts nothing more', async () => {
    const { work, time } = loopOver([noon, noon + 1000])
    let finish: (sent: number) => void = () => undefined
    let calls = 0
    const loop = createDueWork({
      ...work,
      runDue: () => {
        calls++
        return new Promise<number>(resolve => {
          finish = resolve
        })
      },
    })
    loop.wake()
    await settled()
    let stopped = false
    const stopping = loop.stop().then(() => {
      stopped = true
    })
    await settled()
    expect(stopped).toBe(false)
    finish(1)
    await stopping
    loop.wake()
    await time.advance(60_000)
    expect([calls, time.waiting()]).toEqual([1, 0])
  })
})
