import type { LeadSubmission } from '@lead-distribution/contract'
import { refusedBaseUrl, replies, resets, type Step } from '@lead-distribution/sdk-core/fault-server'
import { describe, expect, it, vi } from 'vitest'
import { ConfigError } from '../index.ts'
import {
  countedLeads,
  distributes,
  holdAnswers,
  numbered,
  numberedLeads,
  readAll,
  startService,
  states,
} from './leads.fixture.ts'
import { createPublisher } from './publisher.ts'
import type { SubmittedLead } from './submit-run.ts'

const unavailable = replies(503, { error: 'internal_error', message: '' })

/** Counts what was read by its state. */
const countStates = (read: readonly SubmittedLead[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(read, ({ state }) => state)).map(([state, of]) => [state, of.length]),
  )

/** The same leads, each of which is still to come. */
async function* toCome(leads: Iterable<LeadSubmission>) {
  yield* leads
}

/** Answers in turn, by the order in which leads arrive; the last answer repeats. */
const inTurn = (...steps: [Step, ...Step[]]) => {
  let arrived = 0
  return () => steps[Math.min(arrived++, steps.length - 1)] as Step
}

describe('a service that is down', () => {
  it.each([
    ['answers 503', unavailable],
    ['resets', resets],
  ])('stops the run after ten unknown outcomes where it %s: the rest is not sent', async (_how, step) => {
    const { publisher, reached } = await startService(() => step)
    const run = publisher.submitMany(numberedLeads(2000))
    const read = await readAll(run)
    expect(read.map(({ index }) => index)).toEqual(read.map((_, place) => place))
    expect(reached.length).toBeGreaterThanOrEqual(10)
    expect(reached.length).toBeLessThan(10 + 4)
    expect(countStates(read)).toEqual({ unknown: reached.length, not_sent: 2000 - reached.length })
    expect(run.progress).toMatchObject({
      taken: 2000,
      unknown: reached.length,
      notSent: 2000 - reached.length,
      ended: 'unanswered',
    })
  })

  it('gets exactly as many leads as the option allows, one at a time', async () => {
    const { publisher, reached } = await startService(() => resets)
    const run = publisher.submitMany(numberedLeads(9), { concurrency: 1, maxUnanswered: 3 })
    expect(countStates(await readAll(run))).toEqual({ unknown: 3, not_sent: 6 })
    expect(reached).toHaveLength(3)
  })

  it('gets all leads where the option is Infinity', async () => {
    const { publisher, reached } = await startService(() => resets)
    const run = publisher.submitMany(numberedLeads(30), { maxUnanswered: Number.POSITIVE_INFINITY })
    expect(countStates(await readAll(run))).toEqual({ unknown: 30 })
    expect([reached.length, run.progress.ended]).toEqual([30, 'complete'])
  })

  it('stops the run where no connection comes about: such leads failed, and nothing was sent', async () => {
    const publisher = createPublisher({ baseUrl: await refusedBaseUrl(), apiKey: 'sandbox_key', maxRetries: 0 })
    const run = publisher.submitMany(numberedLeads(200), { concurrency: 2 })
    const read = await readAll(run)
    expect(read[0]).toMatchObject({ state: 'failed', error: { code: 'not_sent', sent: 'no', retryable: true } })
    expect(countStates(read).failed).toBeLessThan(12)
    expect(run.progress).toMatchObject({ taken: 200, ended: 'unanswered' })
  })

  it('and recovers after five leads does not stop the run', async () => {
    const { publisher } = await startService(inTurn(unavailable, resets, unavailable, resets, unavailable, distributes))
    const run = publisher.submitMany(numberedLeads(40))
    expect(countStates(await readAll(run))).toEqual({ unknown: 5, answered: 35 })
    expect(run.progress.ended).toBe('complete')
  })
})

describe('a row of unknown outcomes', () => {
  const mismatch = replies(422, { error: 'publisher_mismatch' })

  it.each([
    ['an answered lead', distributes],
    ['a refused request', mismatch],
  ])('is ended by %s', async (_name, step) => {
    const { publisher } = await startService(number => (number % 3 === 2 ? step : resets))
    const run = publisher.submitMany(numberedLeads(30), { concurrency: 1, maxUnanswered: 3 })
    await readAll(run)
    expect(run.progress).toMatchObject({ unknown: 20, ended: 'complete' })
  })

  it('is not ended by a lead that was never sent', async () => {
    const { publisher } = await startService(() => resets)
    const leads = [numbered(0), { ...numbered(1), product_id: 'p' }, numbered(2), numbered(3)]
    const run = publisher.submitMany(leads, { concurrency: 1, maxUnanswered: 2 })
    expect(states(await readAll(run))).toEqual(['0 unknown', '1 failed', '2 unknown', '3 not_sent'])
    expect(run.progress.ended).toBe('unanswered')
  })

  it('lets the requests in flight end, and gives their results', async () => {
    const { holds, letGo, waiting } = holdAnswers()
    const { publisher, reached } = await startService(number => (number === 2 ? resets : holds(number)))
    const run = publisher.submitMany(numberedLeads(9), { concurrency: 3, maxUnanswered: 1 })
    const pending = readAll(run)
    await vi.waitFor(() => expect([waiting.size, run.progress.unknown]).toEqual([2, 1]), 20_000)
    expect(run.progress.ended).toBe(null)
    letGo(1)
    letGo(0)
    expect(states(await pending)).toEqual([
      '0 answered',
      '1 answered',
      '2 unknown',
      ...[3, 4, 5, 6, 7, 8].map(index => `${index} not_sent`),
    ])
    expect([reached.length, run.progress.ended]).toEqual([3, 'unanswered'])
  })
})

describe('the rest of a run that stopped by itself', () => {
  it('stays in a source whose leads are still to come, which is closed', async () => {
    const { source, leads } = countedLeads(50)
    const { publisher } = await startService(() => resets)
    const run = publisher.submitMany(toCome(leads), { concurrency: 1, maxUnanswered: 2 })
    expect(states(await readAll(run)).slice(0, 2)).toEqual(['0 unknown', '1 unknown'])
    expect(run.progress.ended).toBe('unanswered')
    expect([source.taken, source.closed]).toEqual([run.progress.taken, 1])
    expect(source.taken).toBeLessThan(4)
  })

  it('is read only as fast as its results are, and stays in the source once the reader leaves', async () => {
    const { source, leads } = countedLeads(50)
    const { publisher } = await startService(() => resets)
    const run = publisher.submitMany(leads, { concurrency: 1, maxUnanswered: 1 })
    for await (const { state, index } of run) {
      if (state === 'not_sent' && index === 5) break
    }
    expect([source.taken, source.closed, run.progress.ended]).toEqual([8, 1, 'unanswered'])
  })

  it('is not read any further once the signal is aborted, which a timer may do', async () => {
    const controller = new AbortController()
    const { publisher, reached } = await startService(() => resets)
    const { leads: endless } = countedLeads(Number.POSITIVE_INFINITY)
    const run = publisher.submitMany(endless, { concurrency: 1, maxUnanswered: 1, signal: controller.signal })
    let last: SubmittedLead | undefined
    for await (last of run) if (last.index === 1) setTimeout(() => controller.abort())
    expect(last?.state).toBe('not_sent')
    expect([reached.length, run.progress.ended]).toEqual([1, 'unanswered'])
  })

  it('ends with the error of a source that fails meanwhile', async () => {
    const own = new Error('database')
    function* leads() {
      yield* numberedLeads(3)
      throw own
    }
    const { publisher } = await startService(() => resets)
    const run = publisher.submitMany(leads(), { concurrency: 1, maxUnanswered: 1 })
    await expect(readAll(run)).rejects.toBe(own)
    expect(run.progress).toMatchObject({ taken: 3, notSent: 2, ended: 'unanswered' })
  })
})

it.each([0, -1, 1.5, Number.NaN, '10', null])('refuses a maxUnanswered of %o', async maxUnanswered => {
  const { publisher } = await startService()
  const create = () => publisher.submitMany([], { maxUnanswered: maxUnanswered as never })
  expect(create).toThrow(ConfigError)
  expect(create).toThrow(/`maxUnanswered` must be/)
})
