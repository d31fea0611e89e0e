import { describe, expect, it } from 'vitest'
import { noon, settled } from '../ports.fixture.ts'
import type { LeasedCallback } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { type ClockState, latestTime } from '../time/clock.ts'
import { openProcess, openTenant, type TenantOptions } from './worker.fixture.ts'

/** A tenant's clock, and callbacks due some milliseconds after noon. Records when each was sent. */
async function openClock({
  due = [],
  mode = 'frozen',
  storeMs = 0,
  onClockStored,
}: {
  due?: number[]
  mode?: ClockState['mode']
  storeMs?: number
  onClockStored?: NonNullable<TenantOptions['onClockStored']>
} = {}) {
  const process = openProcess()
  const { time } = process
  const done: number[] = []
  const stored: ClockState[] = []
  const onSent: (() => void)[] = []
  const tenant = await openTenant(process, 'qa', {
    isFrozen: mode === 'frozen',
    respond() {
      done.push(now())
      onSent.shift()?.()
      return { status: 200 }
    },
    async onClockStored(state) {
      await onClockStored?.(state)
      stored.push(state)
      if (storeMs > 0) await time.advance(storeMs)
    },
  })
  const { clock, worker } = tenant
  const now = () => clock.now() - noon
  let added = 0
  const add = async (...due: number[]) => {
    for (const at of due) await tenant.add([`lead-${++added}`], noon + at)
  }
  await add(...due)
  const waiting = async () =>
    (await tenant.tables.read(tables => tables.listPendingCallbacks(9))).map(({ due_at = 0 }) => due_at - noon)
  return { time, clock, worker, done, stored, add, waiting, onSent, now, tables: tenant.tables }
}

describe('a change of the clock', () => {
  it("freezes and resumes at the clock's current time, and stores both states", async () => {
    const { time, worker, stored, now } = await openClock({ mode: 'running' })
    await time.advance(10)
    await worker.freeze()
    await time.advance(1000)
    expect(now()).toBe(10)
    await worker.resume()
    await time.advance(5)
    expect(now()).toBe(15)
    expect(stored).toEqual([
      { mode: 'frozen', now: noon + 10 },
      { mode: 'running', ahead_ms: -1000 },
    ])
  })

  it('freezes the clock at once, however long storing takes', async () => {
    const { time, worker, now } = await openClock({ mode: 'running', storeMs: 50 })
    const freezing = worker.freeze()
    const shown = [now()]
    await time.advance(10)
    shown.push(now())
    await freezing
    expect([...shown, now()]).toEqual([0, 0, 0])
  })

  it('never moves the clock back, however long storing takes', async () => {
    const { worker, clock, now } = await openClock({ mode: 'running', storeMs: 50 })
    let last = clock.now()
    const steps = [
      worker.freeze,
      worker.resume,
      () => worker.set(clock.now()),
      () => worker.advance(1),
      worker.freeze,
      worker.resume,
    ]
    for (const step of steps) {
      await step()
      expect(clock.now()).toBeGreaterThanOrEqual(last)
      last = clock.now()
    }
    expect(now()).toBeGreaterThan(0)
  })

  it.each(['frozen', 'running'] as const)(
    'sets a %s clock forward, and runs jobs that became due at the new time',
    async mode => {
      const { worker, done, clock, now } = await openClock({ mode, due: [1000, 5000, 9000] })
      expect(await worker.set(noon + 5000)).toBe(true)
      await worker.settle()
      expect([clock.state().mode, now(), done]).toEqual([mode, 5000, [5000, 5000]])
    },
  )

  it.each([
    ['a millisecond back', noon - 1, false],
    ['the current time', noon, true],
    ['the latest time', latestTime, true],
    ['a millisecond past the latest time', latestTime + 1, false],
    ['an invalid time', Number.NaN, false],
  ])('to %s is accepted or refused', async (_title, at, taken) => {
    const { worker, clock, stored } = await openClock()
    expect(await worker.set(at)).toBe(taken)
    expect([clock.now(), stored.length]).toEqual(taken ? [at, 1] : [noon, 0])
  })

  it('advances to each due time in order, and no further than the end', async () => {
    const { worker, done, now, waiting } = await openClock({ due: [3000, 1000, 1000, 5000, 5001] })
    expect(await worker.advance(5000)).toBe(4)
    expect([done, now(), await waiting()]).toEqual([[1000, 1000, 3000, 5000], 5000, [5001]])
  })

  it('advances through earlier due jobs too, and jobs that they cause', async () => {
    const { worker, done, add, onSent } = await openClock({ due: [-5, 100] })
    onSent.push(
      () => {},
      () => void add(150, 250),
    )
    expect(await worker.advance(200)).toBe(3)
    expect(done).toEqual([0, 100, 150])
  })

  it('advances a running clock, which is frozen in the meantime and then runs on', async () => {
    const { time, worker, clock, done, onSent, now } = await openClock({ mode: 'running', due: [1000] })
    const modes: string[] = []
    onSent.push(() => modes.push(clock.state().mode))
    expect(await worker.advance(5000)).toBe(1)
    expect([done, modes, clock.state().mode]).toEqual([[1000], ['frozen'], 'running'])
    await time.advance(7)
    expect(now()).toBe(5007)
  })

  it("stores each step before the clock shows it, in the clock's mode", async () => {
    const frozen = await openClock({ due: [1000] })
    await frozen.worker.advance(2000)
    expect(frozen.stored.map(state => state.mode === 'frozen' && state.now - noon)).toEqual([1000, 2000, 2000])
    const running = await openClock({ mode: 'running', due: [1000] })
    await running.worker.advance(2000)
    expect(running.stored).toEqual([1000, 2000, 2000].map(ahead_ms => ({ mode: 'running', ahead_ms })))
  })

  it('does not advance past the latest time', async () => {
    const { worker, now } = await openClock({ due: [1] })
    expect([await worker.advance(latestTime - noon + 1), now()]).toEqual([undefined, 0])
    expect(await worker.advance(latestTime - noon)).toBe(1)
  })

  it('serializes concurrent advances', async () => {
    const { worker, done, now } = await openClock({ due: [1000, 2500, 3500] })
    expect(await Promise.all([worker.advance(2000), worker.advance(1000)])).toEqual([1, 1])
    expect([done, now()]).toEqual([[1000, 2500], 3000])
  })

  it('waits while a pause is active', async () => {
    const { worker, now } = await openClock({ due: [500] })
    const seen: number[] = []
    const advancing = worker.advance(1000)
    const holding = worker.pause(async () => {
      seen.push(now())
      await settled()
      seen.push(now())
    })
    await Promise.all([advancing, holding, worker.set(noon + 3000)])
    expect([seen, now()]).toEqual([[1000, 1000], 3000])
  })

  it.each([
    [
      'delivers',
      async (tables: SandboxTables, { callback_id, url, ...leased }: LeasedCallback) => {
        const attempt = { at: noon, status: 200, ms: 1 }
        await tables.recordAttempt({ callback_id, url, attempt, state: 'delivered' }, leased)
      },
    ],
    [
      'postpones',
      (tables: SandboxTables, { callback_id, ...leased }: LeasedCallback) =>
        tables.postponeCallback({ callback_id, due_at: noon + 9000 }, leased),
    ],
  ])('waits while another process %s a due job, then continues to the end', async (_title, finish) => {
    const { time, worker, tables, stored, now } = await openClock({ due: [0] })
    const lease = { due_by: noon, now: noon, until: noon + 60_000, limit: 1 }
    const [leased] = await tables.transact(tables => tables.leaseDueCallbacks(lease))
    const advancing = worker.advance(1000)
    await time.advance(1)
    await tables.transact(tables => finish(tables, leased ?? expect.unreachable()))
    // A round during the advance's wait finds nothing due anymore.
    worker.wake()
    await time.advance(1000)
    expect([await advancing, now()]).toEqual([0, 1000])
    expect(stored).toEqual([0, 1000, 1000].map(at => ({ mode: 'frozen', now: noon + at })))
  })

  it('has no effect if it cannot be stored, and the next one succeeds', async () => {
    const { clock, worker } = await openClock({
      onClockStored: async () => {
        throw new Error('The disk is full.')
      },
    })
    await expect(worker.set(noon + 1)).rejects.toThrow('The disk is full.')
    await expect(worker.set(noon + 2)).rejects.toThrow('The disk is full.')
    expect(clock.now()).toBe(noon)
  })
})
