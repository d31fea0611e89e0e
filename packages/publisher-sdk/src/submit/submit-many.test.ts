import { getEventListeners } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { replies, resets, startFaultServer } from '@lead-distribution/sdk-core/fault-server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { AuthError, type CallEvent, ConfigError, OutcomeUnknownError, ValidationError } from '../index.ts'
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
import type { SubmitProgress, SubmittedLead } from './submit-run.ts'

it('gives the result of each lead, in the order of the source, whichever was answered first', async () => {
  const { holds, letGo, waiting } = holdAnswers()
  const { publisher, reached } = await startService(holds)
  const leads = numberedLeads(4)
  const pending = readAll(publisher.submitMany(leads))
  for (const number of [3, 1, 2, 0]) {
    await vi.waitFor(() => expect(waiting.has(number)).toBe(true), 20_000)
    letGo(number)
  }
  const read = await pending
  expect(states(read)).toEqual(['0 answered', '1 answered', '2 answered', '3 answered'])
  expect(read.map(({ lead }) => lead)).toEqual(leads)
  expect(read.every(({ lead }, index) => lead === leads[index])).toBe(true)
  expect(read[0]).toMatchObject({
    result: { outcome: 'distributed', redirect_url: 'https://advertiser.example/apply' },
  })
  expect(reached).toHaveLength(4)
})

it.each([
  [undefined, 4],
  [1, 1],
  [7, 7],
  [100, 100],
])('with a concurrency of %s has %i leads under way, and never more', async (concurrency, most) => {
  const { holds, letGo, waiting } = holdAnswers()
  const { publisher, seen } = await startService(holds)
  const count = most + 3
  const run = publisher.submitMany(numberedLeads(count), { concurrency })
  const pending = readAll(run)
  for (let number = 0; number < count; number += 1) {
    const underWay = Math.min(most, count - number)
    const counted = () => [waiting.size - number, run.progress.underWay]
    await vi.waitFor(() => expect(counted()).toEqual([underWay, underWay]), { interval: 1, timeout: 20_000 })
    letGo(number)
  }
  expect(await pending).toHaveLength(count)
  expect(seen.most).toBe(most)
})

describe('is kept back', () => {
  it('by a consumer that stops reading: twice the concurrency is held, and no more', async () => {
    const { publisher, reached } = await startService()
    const { source, leads } = countedLeads(50)
    const run = publisher.submitMany(leads, { concurrency: 3 })
    expect(source.taken).toBe(0)
    const reader = run[Symbol.asyncIterator]()
    await reader.next()
    await vi.waitFor(() => expect(run.progress.answered.distributed).toBe(7), 20_000)
    for (let turns = 0; turns < 20; turns += 1) await turn()
    expect([source.taken, reached.length, run.progress.underWay]).toEqual([7, 7, 0])
    await reader.next()
    await vi.waitFor(() => expect(run.progress.answered.distributed).toBe(8), 20_000)
    expect(source.taken).toBe(8)
    await reader.return?.()
  })

  it('by a slow lead at the head of the line', async () => {
    const { holds, letGo } = holdAnswers()
    const { publisher } = await startService(number => (number === 0 ? holds(number) : distributes))
    const { source, leads } = countedLeads(50)
    const run = publisher.submitMany(leads, { concurrency: 3 })
    const pending = readAll(run)
    await vi.waitFor(() => expect(run.progress.answered.distributed).toBe(5), 20_000)
    for (let turns = 0; turns < 20; turns += 1) await turn()
    expect([source.taken, run.progress.underWay]).toEqual([6, 1])
    letGo(0)
    expect(states(await pending)).toEqual(Array.from({ length: 50 }, (_, index) => `${index} answered`))
  })
})

describe('an error of one lead', () => {
  it('is its state and stops nothing', async () => {
    const answers = [distributes, resets, replies(422, { error: 'publisher_mismatch' }), replies(503, {}), distributes]
    const { publisher } = await startService(number => answers[number] ?? distributes)
    const wrong = { ...numbered(5), product_id: 'p' }
    const read = await readAll(publisher.submitMany([...numberedLeads(5), wrong, numbered(6)]))
    expect(states(read)).toEqual([
      ...['0 answered', '1 unknown', '2 failed', '3 unknown', '4 answered', '5 failed', '6 answered'],
    ])
    const [, reset, mismatch, , , invalid] = read
    expect(reset).toMatchObject({ error: expect.any(OutcomeUnknownError), attempt: { callId: expect.any(String) } })
    expect(reset?.state === 'unknown' && reset.error.attempt === reset.attempt).toBe(true)
    expect(mismatch).toMatchObject({ error: { code: 'bad_request', sent: 'yes' } })
    expect(invalid).toMatchObject({ error: { code: 'validation', sent: 'no' } })
  })

  it.each([undefined, null, 7, 'lead', []])('is a ValidationError where it is %o instead of a lead', async odd => {
    const { publisher, reached } = await startService()
    const [first, second] = await readAll(publisher.submitMany([odd as never, numbered(1)]))
    expect(first?.state === 'failed' && first.error).toBeInstanceOf(ValidationError)
    expect(second?.state).toBe('answered')
    expect(reached).toHaveLength(1)
  })

  it('that every lead would get stops the run: a wrong key is not tried 1,000 times', async () => {
    const { publisher, reached } = await startService(() => replies(401, { error: 'unauthorized' }))
    const run = publisher.submitMany(numberedLeads(1000), { concurrency: 3 })
    const read = await readAll(run)
    expect(states(read).slice(0, 4)).toEqual(['0 failed', '1 failed', '2 failed', '3 not_sent'])
    expect(read[0]).toMatchObject({ error: expect.any(AuthError) })
    expect(run.progress).toMatchObject({ taken: 1000, failed: 3, notSent: 997, ended: 'refused' })
    expect(reached).toHaveLength(3)
  })

  it('of the set-up is met once at a concurrency of one', async () => {
    const { baseUrl, reached } = await startFaultServer(distributes)
    const publisher = createPublisher({ baseUrl, apiKey: null })
    const run = publisher.submitMany(numberedLeads(9), { concurrency: 1 })
    const [only, ...others] = await readAll(run)
    expect(only).toMatchObject({ state: 'failed', error: { code: 'config' } })
    expect(others.map(({ state }) => state)).toEqual(Array(8).fill('not_sent'))
    expect([reached.length, run.progress.ended]).toEqual([0, 'refused'])
  })
})

it('reports its progress after each lead and at its end, and its numbers at any time', async () => {
  const answers = [distributes, replies(200, { status: 'rejected' }), replies(200, {}), resets]
  const newLead = replies(200, { lead_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11', status: 'new' })
  const { publisher } = await startService(number => answers[number] ?? newLead)
  const reported: [SubmitProgress, SubmittedLead | undefined][] = []
  const leads = [...numberedLeads(5), { ...numbered(5), product_id: 'p' }]
  const run = publisher.submitMany(leads, {
    concurrency: 1,
    onProgress(progress, settled) {
      reported.push([progress, settled])
      throw new Error('log')
    },
  })
  const none = { distributed: 0, new: 0, rejected: 0, unrecognized: 0 }
  const start = { taken: 0, underWay: 0, answered: none, failed: 0, unknown: 0, notSent: 0, ended: null }
  expect(run.progress).toEqual(start)
  const read = await readAll(run)
  const end = { distributed: 1, new: 1, rejected: 1, unrecognized: 1 }
  expect(run.progress).toEqual({ ...start, taken: 6, answered: end, failed: 1, unknown: 1, ended: 'complete' })
  expect(reported.map(([progress]) => progress.ended)).toEqual([null, null, null, null, null, null, 'complete'])
  expect(reported.map(([, settled]) => settled)).toEqual([...read, undefined])
  expect(reported[0]?.[0]).toEqual({ ...start, taken: 1, answered: { ...none, distributed: 1 } })
})

describe('a run that is not read', () => {
  const startUnread = async () => {
    const events: CallEvent[] = []
    const service = await startService(undefined, { onEvent: event => events.push(event) })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    return { ...service, events }
  }

  it('sends nothing, and the client reports it by a warning', async () => {
    const { publisher, reached, events } = await startUnread()
    const run = await publisher.submitMany(numberedLeads(3))
    vi.advanceTimersByTime(60_000)
    expect(events).toEqual([
      {
        type: 'warning',
        message: expect.stringMatching(/^A run of `submitMany` sends nothing until it is read/),
        callId: expect.any(String),
        call: 'submitLead',
        attempt: 0,
      },
    ])
    expect([reached.length, run.progress.taken]).toEqual([0, 0])
  })

  it('at once, but within a second, is reported by none', async () => {
    const { publisher, events } = await startUnread()
    const run = publisher.submitMany([])
    vi.advanceTimersByTime(999)
    expect(await readAll(run)).toEqual([])
    vi.advanceTimersByTime(60_000)
    expect(events).toEqual([])
  })

  it('and has no listener leaves no timer, which would keep the process', async () => {
    const { publisher } = await startUnread()
    publisher.withOptions({ onEvent: undefined }).submitMany([])
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('is read once', async () => {
  const { publisher } = await startService()
  const run = publisher.submitMany([])
  expect(await readAll(run)).toEqual([])
  expect(() => run[Symbol.asyncIterator]()).toThrow('A run can be read only once')
})

it.each([undefined, null, 7, 'leads', {}, numbered(0), function* () {}])('refuses %o as leads', async leads => {
  const { publisher } = await startService()
  expect(() => publisher.submitMany(leads as never)).toThrow(/^`leads` must be iterable/)
})

it.each([0, 101, 1.5, Number.NaN, '4'])('refuses a concurrency of %o', async concurrency => {
  const { publisher } = await startService()
  expect(() => publisher.submitMany([], { concurrency: concurrency as never })).toThrow(ConfigError)
})

it.each([{ timeoutMs: -1 }, { maxRetries: 0.5 }, { signal: new AbortController() as never }])(
  'refuses the limits %o before anything is taken',
  async options => {
    const { publisher } = await startService()
    expect(() => publisher.submitMany([], options)).toThrow(ConfigError)
  },
)

it('leaves no listener on the signal', async () => {
  const { publisher } = await startService()
  const { signal } = new AbortController()
  await readAll(publisher.submitMany(numberedLeads(20), { signal, concurrency: 20 }))
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
