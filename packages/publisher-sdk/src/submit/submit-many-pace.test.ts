import { getEventListeners } from 'node:events'
import { replies, type Step } from '@lead-distribution/sdk-core/fault-server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CallEvent } from '../index.ts'
import {
  countedLeads,
  distributes,
  holdAnswers,
  numberedLeads,
  readAll,
  startService,
  states,
} from './leads.fixture.ts'

const slowDown = (seconds?: number) =>
  replies(429, { error: 'rate_limited', message: '' }, seconds === undefined ? {} : { 'retry-after': `${seconds}` })

/** Takes `most` leads a second, and answers others with a 429 that says when the next second begins. */
function limitPerSecond(most: number) {
  const seen = { taken: [] as number[], refused: 0 }
  let began = 0
  let inWindow = 0
  const answer = (number: number): Step => {
    if (performance.now() - began >= 1000) {
      began = performance.now()
      inWindow = 0
    }
    inWindow += 1
    if (inWindow > most) {
      seen.refused += 1
      return slowDown(1)
    }
    seen.taken.push(number)
    return distributes
  }
  return { answer, seen }
}

it('loses none of 150 leads to a service that takes ten a second, at a concurrency of 40', {
  timeout: 120_000,
}, async () => {
  const { answer, seen } = limitPerSecond(10)
  const { publisher, reached } = await startService(answer, {})
  const run = publisher.submitMany(numberedLeads(150), { concurrency: 40 })
  const read = await readAll(run)
  expect(states(read)).toEqual(Array.from({ length: 150 }, (_, index) => `${index} answered`))
  expect(new Set(seen.taken).size).toBe(150)
  expect(run.progress).toMatchObject({ taken: 150, failed: 0, unknown: 0, ended: 'complete' })
  // Pauses cost a lead no retry while the service takes others: two retries would be three attempts.
  const attempts = read.map(each => (each.state === 'answered' ? each.result.meta.attempts : 0))
  expect(Math.max(...attempts)).toBeGreaterThan(3)
  // Nobody comes back before the service said so: a round sends each lead in flight once.
  expect(reached.length).toBeLessThan(150 + 40 * 20)
})

describe('a 429', () => {
  /** Events of a run, and what a service got until then. */
  const retryDelays = (events: readonly CallEvent[]) =>
    events.flatMap(event => (event.type === 'retry' ? [event.delayMs] : []))

  it('holds back the leads that were not sent yet, for as long as Retry-After says', async () => {
    const { holds, letGo, waiting } = holdAnswers()
    const events: CallEvent[] = []
    const times: number[] = []
    const { publisher, reached } = await startService(
      number => {
        times.push(performance.now())
        if (times.length === 1) return slowDown(1)
        return number === 1 && times.length === 2 ? holds(number) : distributes
      },
      { onEvent: event => events.push(event) },
    )
    const run = publisher.submitMany(numberedLeads(6), { concurrency: 2 })
    const pending = readAll(run)
    await vi.waitFor(() => expect([retryDelays(events).length, waiting.size]).toEqual([1, 1]), 20_000)
    // The second lead is answered meanwhile: the third must not take its place yet.
    letGo(1)
    expect(states(await pending)).toEqual([0, 1, 2, 3, 4, 5].map(index => `${index} answered`))
    expect(reached).toHaveLength(7)
    // Timers fire up to a millisecond early.
    for (const time of times.slice(2)) expect(time - (times[0] ?? 0)).toBeGreaterThanOrEqual(998)
  })

  it('without end fails a lead once its retries are used up, and stops the run', async () => {
    const { publisher, reached } = await startService(() => slowDown(0), { maxRetries: 2 })
    const run = publisher.submitMany(numberedLeads(2000), { concurrency: 1 })
    const read = await readAll(run)
    const failed = { state: 'failed', error: { code: 'rate_limit', retryable: true, meta: { attempts: 3 } } }
    expect(read[0]).toMatchObject(failed)
    expect(run.progress).toMatchObject({ taken: 2000, failed: 10, unknown: 0, notSent: 1990, ended: 'unanswered' })
    // Later leads come to a service that takes nothing: one attempt each, after the pause.
    expect(reached).toHaveLength(3 + 9)
  })

  it('fails its lead at once where retries are switched off, and holds back the others all the same', async () => {
    const times: number[] = []
    const { publisher } = await startService(() => {
      times.push(performance.now())
      return times.length === 1 ? slowDown(1) : distributes
    })
    const run = publisher.submitMany(numberedLeads(3), { concurrency: 1 })
    expect(states(await readAll(run))).toEqual(['0 failed', '1 answered', '2 answered'])
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(998)
  })

  it('stops no run whose other leads are answered, also where retries are switched off', async () => {
    const { answer } = limitPerSecond(5)
    const { publisher } = await startService(answer)
    const run = publisher.submitMany(numberedLeads(40), { concurrency: 20 })
    await readAll(run)
    expect(run.progress).toMatchObject({ taken: 40, notSent: 0, unknown: 0, ended: 'complete' })
    expect(run.progress.failed).toBeGreaterThan(10)
  })

  it('without Retry-After holds back the run by the back-off', async () => {
    let refused = 0
    const { publisher } = await startService(() => (refused++ < 2 ? slowDown() : distributes), {
      backOff: { minDelayMs: 1, maxDelayMs: 2 },
    })
    const run = publisher.submitMany(numberedLeads(5), { concurrency: 1 })
    await readAll(run)
    expect(run.progress).toMatchObject({ failed: 0, answered: { distributed: 5 } })
  })

  it('begins no wait that outlasts the deadline of a lead', async () => {
    const { publisher, reached } = await startService(() => slowDown(20), { maxRetries: 2, deadlineMs: 5000 })
    const run = publisher.submitMany(numberedLeads(1))
    expect(await readAll(run)).toMatchObject([{ state: 'failed', error: { code: 'rate_limit', retryAfterMs: 20_000 } }])
    expect(reached).toHaveLength(1)
  })

  it('ends the wait of a lead at its deadline where another 429 makes the pause longer', async () => {
    const { holds, letGo, waiting } = holdAnswers(slowDown(2))
    const { publisher, reached } = await startService(
      number => {
        if (number === 0) return holds(number)
        return (response, request) => {
          letGo(0)
          slowDown(20)(response, request)
        }
      },
      { deadlineMs: 2500 },
    )
    async function* leads() {
      const [first, second] = numberedLeads(2)
      if (first) yield first
      await vi.waitFor(() => expect(waiting.size).toBe(1), 20_000)
      if (second) yield second
    }
    expect(await readAll(publisher.submitMany(leads()))).toMatchObject([
      { state: 'failed', error: { code: 'rate_limit' } },
      { state: 'failed', error: { code: 'rate_limit' } },
    ])
    expect(reached).toHaveLength(2)
  })
})

describe('during the pause', () => {
  it('an abort ends the run at once: nothing was created, and the source keeps its leads', async () => {
    const controller = new AbortController()
    const events: CallEvent[] = []
    const { publisher, reached } = await startService(() => slowDown(30), { onEvent: event => events.push(event) })
    const { source, leads } = countedLeads(50)
    const run = publisher.submitMany(leads, { concurrency: 3, signal: controller.signal })
    const pending = readAll(run)
    await vi.waitFor(() => expect(events.filter(({ type }) => type === 'retry')).toHaveLength(3), 20_000)
    controller.abort()
    const read = await pending
    expect(states(read)).toEqual(['0 failed', '1 failed', '2 failed'])
    expect(read[0]).toMatchObject({ error: { code: 'aborted', sent: 'no' } })
    expect([reached.length, source.taken, run.progress.ended]).toEqual([3, 3, 'aborted'])
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('a lead that waits for its first request is not sent once the run is aborted', async () => {
    const controller = new AbortController()
    const { publisher, reached } = await startService(() => slowDown(30))
    const run = publisher.submitMany(numberedLeads(50), { concurrency: 1, signal: controller.signal })
    const pending = readAll(run)
    await vi.waitFor(() => expect([run.progress.failed, run.progress.underWay]).toEqual([1, 1]), 20_000)
    controller.abort()
    expect(states(await pending)).toEqual(['0 failed', '1 not_sent'])
    expect(reached).toHaveLength(1)
  })

  it('leaving the loop ends the wait, and nothing more is sent', async () => {
    const events: CallEvent[] = []
    const { publisher, reached } = await startService(number => (number === 0 ? distributes : slowDown(30)), {
      onEvent: event => events.push(event),
    })
    const run = publisher.submitMany(numberedLeads(50), { concurrency: 2 })
    for await (const _ of run) {
      await vi.waitFor(() => expect(events.filter(({ type }) => type === 'retry').length).toBeGreaterThan(0), 20_000)
      break
    }
    expect(run.progress).toMatchObject({ underWay: 0, answered: { distributed: 1 }, ended: 'left' })
    expect(reached.length).toBeLessThan(4)
  })

  it('a run that stops sends no lead again', async () => {
    const { holds, letGo, waiting } = holdAnswers(replies(401, {}))
    const events: CallEvent[] = []
    const { publisher, reached } = await startService(number => (number === 0 ? slowDown(30) : holds(number)), {
      onEvent: event => events.push(event),
    })
    const run = publisher.submitMany(numberedLeads(4), { concurrency: 2 })
    const pending = readAll(run)
    await vi.waitFor(() => expect(events.some(({ type }) => type === 'retry')).toBe(true), 20_000)
    await vi.waitFor(() => expect(waiting.size).toBe(1), 20_000)
    letGo(1)
    const read = await pending
    expect(states(read)).toEqual(['0 failed', '1 failed', '2 not_sent', '3 not_sent'])
    expect(read[0]).toMatchObject({ error: { code: 'rate_limit', retryable: true } })
    expect([reached.length, run.progress.ended]).toEqual([2, 'refused'])
  })
})

it('leaves no timer of a pause behind, which would keep the process', async () => {
  // Not over a socket: the runtime has timers of its own for its connections.
  const refuses = async () => Response.json({}, { status: 429, headers: { 'retry-after': '30' } })
  const { publisher } = await startService(undefined, { maxRetries: 0, fetch: refuses })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(states(await readAll(publisher.submitMany(numberedLeads(1))))).toEqual(['0 failed'])
  expect(vi.getTimerCount()).toBe(0)
})
