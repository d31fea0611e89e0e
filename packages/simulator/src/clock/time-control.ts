import type { DueWork } from '../scheduling/due-work.ts'
import type { ClockState } from './clock-state.ts'
import type { TenantClock } from './tenant-clock.ts'

/**
 * The latest that a clock can be set to, milliseconds since 1970: the end of the year 9989. What waits then falls due
 * within ten years, the longest duration, at a time that still has a year of four digits.
 */
export const latestTime = Date.UTC(9990, 0) - 1

/** A tenant's time under somebody's hand. It goes forward only; back leads restoring a snapshot alone. */
export interface TimeControl {
  freeze(): Promise<void>
  resume(): Promise<void>
  /** Jumps forward; what fell due meanwhile is done before this answers, at the new time. False where it lies back or too far. */
  set(at: number): Promise<boolean>
  /**
   * Goes forward step by step: stands still at each time at which something falls due until that is done. Answers how
   * much was done; undefined where the end lies too far.
   */
  advance(ms: number): Promise<number | undefined>
  /** Runs something while nobody moves the clock. */
  hold<Outcome>(run: () => Promise<Outcome>): Promise<Outcome>
}

/** What time control works on. */
export interface TimeControlOptions {
  readonly clock: TenantClock
  readonly realNow: () => number
  readonly work: DueWork
  readonly keep: (state: ClockState) => Promise<void>
}

/** How many steps one advance makes at the most: a retry list that is started anew for ever ends somewhere. */
const maxSteps = 1_000_000

/** Makes time control; its calls wait for each other. */
export function createTimeControl({ clock, realNow, work, keep }: TimeControlOptions): TimeControl {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Outcome>(run: () => Promise<Outcome>): Promise<Outcome> => {
    const turn = last.then(run)
    last = turn.catch(() => undefined)
    return turn
  }
  const put = async (state: ClockState) => {
    await keep(state)
    clock.put(state)
    work.wake()
  }
  /** The state in which the clock shows a time now, going or not. */
  const showing = (now: number, mode: ClockState['mode']): ClockState =>
    mode === 'frozen' ? { mode, now } : { mode, ahead_ms: now - realNow() }

  async function step(to: number, mode: ClockState['mode']): Promise<void> {
    await keep(showing(to, mode))
    clock.put({ mode: 'frozen', now: to })
    await work.settle()
  }

  return {
    hold: inTurn,
    freeze: () =>
      inTurn(() => {
        // Stands still before that is kept: what came in meanwhile would lie ahead of the frozen time.
        clock.put(showing(clock.now(), 'frozen'))
        return put(clock.state())
      }),
    resume: () => inTurn(() => put(showing(clock.now(), 'running'))),
    set: at =>
      inTurn(async () => {
        // Asked this way round, a text that is no time is refused too.
        if (!(at >= clock.now() && at <= latestTime)) return false
        await put(showing(at, clock.state().mode))
        await work.settle()
        return true
      }),
    advance: ms =>
      inTurn(async () => {
        const { mode } = clock.state()
        const before = work.done()
        const end = clock.now() + ms
        if (end > latestTime) return undefined
        clock.put({ mode: 'frozen', now: clock.now() })
        try {
          await work.settle()
          for (let steps = 0; steps < maxSteps; steps++) {
            const due = await work.nextDue()
            if (due === undefined || due > end) break
            const doneBefore = work.done()
            await step(Math.max(due, clock.now()), mode)
            // In another's hands, who does it.
            if (due <= clock.now() && work.done() === doneBefore) break
          }
          await step(end, mode)
        } finally {
          await put(showing(clock.now(), mode))
        }
        return work.done() - before
      }),
  }
}
