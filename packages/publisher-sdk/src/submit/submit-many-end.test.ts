import { getEventListeners } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { replies, resets, stallsHeaders } from '@lead-distribution/sdk-core/fault-server'
import { describe, expect, it, vi } from 'vitest'
import { AbortedError } from '../index.ts'
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
import type { SubmittedLead } from './submit-run.ts'

/** A source that records whether it was closed, and whose closing fails. */
function closable(count: number, steps: Partial<Record<number, () => Promise<unknown> | undefined>> = {}) {
  const source = { closed: 0, taken: 0 }
  async function* give() {
    try {
      for (const lead of numberedLeads(count)) {
        await steps[source.taken]?.()
        source.taken += 1
        yield lead
      }
    } finally {
      source.closed += 1
      // biome-ignore lint/correctness/noUnsafeFinally: a source that fails while it is closed is what is tested.
      if (source.taken < count) throw new Error('close')
    }
  }
  return { source, leads: give() }
}

const never = () => new Promise<never>(() => {})

describe('aborted', () => {
  it('takes no more, and reports that those under way may exist', async () => {
    const controller = new AbortController()
    const { publisher, reached } = await startService(number => (number < 2 ? distributes : stallsHeaders))
    const { source, leads } = closable(50)
    const run = publisher.submitMany(leads, { concurrency: 3, signal: controller.signal })
    const pending = readAll(run)
    await vi.waitFor(() => expect(reached).toHaveLength(5), 20_000)
    await vi.waitFor(() => expect(run.progress.answered.distributed).toBe(2), 20_000)
    controller.abort()
    const read = await pending
    expect(states(read)).toEqual(['0 answered', '1 answered', '2 unknown', '3 unknown', '4 unknown'])
    expect(read[2]).toMatchObject({ error: expect.any(AbortedError), attempt: { callId: expect.any(String) } })
    expect(run.progress).toMatchObject({ taken: 5, underWay: 0, unknown: 3, ended: 'aborted' })
    expect([source.taken, source.closed, reached.length]).toEqual([5, 1, 5])
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('before it begins sends nothing, and closes the source', async () => {
    const { publisher, reached } = await startService()
    const closed = vi.fn(async () => ({ done: true as const, value: undefined }))
    const next = vi.fn(async () => ({ done: false as const, value: numbered(0) }))
    const leads = { [Symbol.asyncIterator]: () => ({ next, return: closed }) }
    const run = publisher.submitMany(leads, { signal: AbortSignal.abort() })
    expect(await readAll(run)).toEqual([])
    expect([next.mock.calls.length, closed.mock.calls.length, reached.length]).toEqual([0, 1, 0])
    expect(run.progress).toMatchObject({ taken: 0, ended: 'aborted' })
  })

  it('does not wait for a source that is long about its next lead, and sends nothing that it gives afterwards', async () => {
    const controller = new AbortController()
    const { promise, resolve } = Promise.withResolvers<void>()
    const { publisher, reached } = await startService()
    const { source, leads } = closable(9, { 1: () => promise })
    const run = publisher.submitMany(leads, { signal: controller.signal })
    const pending = readAll(run)
    await vi.waitFor(() => expect(run.progress.answered.distributed).toBe(1), 20_000)
    controller.abort()
    expect(states(await pending)).toEqual(['0 answered'])
    const { progress } = run
    expect(progress.ended).toBe('aborted')
    resolve()
    await vi.waitFor(() => expect([source.taken, source.closed]).toEqual([2, 1]), 20_000)
    expect([run.progress, reached.length]).toEqual([progress, 1])
  })

  it('reports a lead that the source gives meanwhile as not sent', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { holds, letGo, waiting } = holdAnswers(replies(401, {}))
    const { publisher, reached } = await startService(number => (number === 1 ? replies(401, {}) : holds(number)))
    const { leads } = closable(9, { 2: () => promise })
    const run = publisher.submitMany(leads, { concurrency: 3 })
    const pending = readAll(run)
    await vi.waitFor(() => expect([waiting.size, run.progress.failed]).toEqual([1, 1]), 20_000)
    resolve()
    await vi.waitFor(() => expect(run.progress.notSent).toBe(1), 20_000)
    letGo(0)
    expect(states(await pending)).toEqual(['0 failed', '1 failed', '2 not_sent'])
    expect(run.progress).toMatchObject({ taken: 3, failed: 2, notSent: 1, ended: 'refused' })
    expect(reached).toHaveLength(2)
  })

  it('after all was answered changes nothing of what is left to read', async () => {
    const controller = new AbortController()
    const { publisher } = await startService()
    const run = publisher.submitMany(numberedLeads(3), { signal: controller.signal })
    const read: SubmittedLead[] = []
    for await (const each of run) {
      read.push(each)
      await vi.waitFor(() => expect(run.progress.answered.distributed).toBe(3), 20_000)
      controller.abort()
    }
    expect(states(read)).toEqual(['0 answered', '1 answered', '2 answered'])
    expect(run.progress.ended).toBe('complete')
  })
})

describe('a source that fails', () => {
  it.each([0, 2])('after %i leads throws its own error, after what was under way', async count => {
    const { holds, letGo, waiting } = holdAnswers()
    const { publisher } = await startService(holds)
    const own = new Error('database')
    async function* leads() {
      yield* numberedLeads(count)
      throw own
    }
    const run = publisher.submitMany(leads())
    const read: SubmittedLead[] = []
    const pending = (async () => {
      for await (const each of run) read.push(each)
    })()
    const outcome = pending.then(null, error => error)
    await vi.waitFor(() => expect(waiting.size).toBe(count), 20_000)
    for (const number of waiting.keys()) letGo(number)
    expect(await outcome).toBe(own)
    expect(read).toHaveLength(count)
    expect(run.progress).toMatchObject({ taken: count, ended: 'source_failed' })
  })

  it.each([
    ['in its first step', { [Symbol.iterator]: () => fail() }],
    ['at hand', { [Symbol.iterator]: () => ({ next: () => fail() }) }],
    ['to come', { [Symbol.asyncIterator]: () => ({ next: async () => fail() }) }],
    ['with what is no error', { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(undefined) }) }],
  ])('%s', async (name, leads) => {
    const { publisher } = await startService()
    const run = publisher.submitMany(leads as never)
    const caught = await readAll(run).then(
      () => 'nothing',
      error => error,
    )
    expect(caught).toEqual(name === 'with what is no error' ? undefined : new Error('source'))
    expect(run.progress.ended).toBe('source_failed')
  })

  it('is not heard where the signal that ends the run ends it too', async () => {
    const controller = new AbortController()
    const { publisher } = await startService()
    const ends = () =>
      new Promise((_, reject) => {
        controller.signal.addEventListener('abort', () => reject(controller.signal.reason))
      })
    const { leads } = closable(9, { 1: ends })
    const run = publisher.submitMany(leads, { signal: controller.signal })
    const pending = readAll(run)
    await vi.waitFor(() => expect(run.progress.answered.distributed).toBe(1), 20_000)
    controller.abort()
    expect(states(await pending)).toEqual(['0 answered'])
    expect(run.progress.ended).toBe('aborted')
  })
})

describe('left by its reader', () => {
  it('takes no more, lets finish what is under way, and closes the source', async () => {
    const { holds, letGo, waiting } = holdAnswers()
    const { publisher, reached } = await startService(number => (number === 0 ? distributes : holds(number)))
    const { source, leads } = countedLeads(50)
    const settled: (number | undefined)[] = []
    const { signal } = new AbortController()
    const onProgress = (_: unknown, each?: SubmittedLead) => void settled.push(each?.index)
    const run = publisher.submitMany(leads, { concurrency: 2, signal, onProgress })
    const pending = (async () => {
      for await (const each of run) return each.index
    })()
    await vi.waitFor(() => expect(waiting.size).toBe(2), 20_000)
    for (let turns = 0; turns < 20; turns += 1) await turn()
    expect([run.progress.ended, run.progress.underWay, source.closed]).toEqual([null, 2, 0])
    letGo(2)
    letGo(1)
    expect(await pending).toBe(0)
    expect([settled[0], new Set(settled.slice(1, 3)), settled[3]]).toEqual([0, new Set([1, 2]), undefined])
    expect(run.progress).toMatchObject({ taken: 3, answered: { distributed: 3 }, ended: 'left' })
    expect([source.taken, source.closed, reached.length]).toEqual([3, 1, 3])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('reports a lead that the source gives meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { holds, letGo, waiting } = holdAnswers()
    const { publisher } = await startService(number => (number === 0 ? distributes : holds(number)))
    const run = publisher.submitMany(closable(50, { 2: () => promise }).leads)
    const leaving = (async () => {
      for await (const _ of run) {
        await vi.waitFor(() => expect(waiting.size).toBe(1), 20_000)
        setImmediate(resolve)
        break
      }
    })()
    await vi.waitFor(() => expect(run.progress.taken).toBe(3), 20_000)
    letGo(1)
    await leaving
    expect(run.progress).toMatchObject({ answered: { distributed: 2 }, notSent: 1, ended: 'left' })
  })

  it('while it reads does not wait for a source that never gives its next lead', async () => {
    const { publisher } = await startService()
    const run = publisher.submitMany(closable(9, { 0: never }).leads)
    const reader = run[Symbol.asyncIterator]()
    const pending = reader.next()
    expect(await reader.return?.()).toEqual({ done: true, value: undefined })
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(run.progress).toMatchObject({ taken: 0, ended: 'left' })
  })
})

it('leaves no rejection unhandled, and keeps no lead that was read', { timeout: 60_000 }, async () => {
  const unheard = vi.fn()
  process.on('unhandledRejection', unheard)
  const { publisher } = await startService(number => (number % 3 === 0 ? resets : distributes))
  const refs: WeakRef<object>[] = []
  function* leads() {
    for (let number = 0; number < 200; number += 1) {
      const lead = numbered(number)
      refs.push(new WeakRef(lead))
      yield lead
    }
  }
  const alive: number[] = []
  for await (const { index } of publisher.submitMany(leads(), { concurrency: 5 })) {
    if (index !== 150) continue
    await turn()
    setFlagsFromString('--expose-gc')
    runInNewContext('gc()')
    alive.push(refs.filter(ref => ref.deref()).length)
  }
  await turn()
  process.off('unhandledRejection', unheard)
  expect(unheard).not.toHaveBeenCalled()
  expect(alive[0]).toBeLessThanOrEqual(20)
})

function fail(): never {
  throw new Error('source')
}

describe('a 403 of a firewall', () => {
  const forbids = replies(403, {})

  it.each([1, 4])('refuses a lead and does not end the run, %i at once', async concurrency => {
    const { publisher } = await startService(number => (number % 10 === 3 ? forbids : distributes))
    const run = publisher.submitMany(numberedLeads(40), { concurrency })
    await readAll(run)
    expect(run.progress).toMatchObject({ taken: 40, failed: 4, answered: { distributed: 36 }, ended: 'complete' })
  })

  it('refuses all that are under way at a moment, and does not end the run', async () => {
    const { publisher } = await startService(number => (number < 4 ? forbids : distributes))
    const run = publisher.submitMany(numberedLeads(20), { concurrency: 4 })
    await readAll(run)
    expect(run.progress).toMatchObject({ failed: 4, answered: { distributed: 16 }, ended: 'complete' })
  })

  it.each([1, 4])('ends the run where it repeats, %i at once', async concurrency => {
    const { publisher, reached } = await startService(() => forbids)
    const run = publisher.submitMany(numberedLeads(50), { concurrency })
    await readAll(run)
    expect(run.progress.ended).toBe('refused')
    expect(reached.length).toBeGreaterThan(concurrency)
    expect(reached.length).toBeLessThanOrEqual(2 * concurrency)
  })
})
