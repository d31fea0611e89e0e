import { createPublisher } from '@lead-distribution/publisher-sdk'
import { createCallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'
import { createTestCallback } from '@lead-distribution/publisher-sdk/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { lead, lead_id } from './injected.fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The value that a promise has by now; undefined while it is pending. */
function soFar<Value>(promise: Promise<Value>): () => Value | undefined {
  let settled: Value | undefined
  void promise.then(value => {
    settled = value
  })
  return () => settled
}

it('waits thirty seconds for the response to a lead', async () => {
  const publisher = createPublisher({
    baseUrl: 'https://acme.example.com/api/v1',
    apiKey: 'k',
    fetch: () => new Promise(() => {}),
  })
  const result = soFar(publisher.submit(lead))
  await vi.advanceTimersByTimeAsync(29_999)
  expect(result()).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(result()).toMatchObject({ outcome: 'unknown' })
})

it('gives a handler of callbacks eight seconds, and its event to a delivery after thirty', async () => {
  const handle = vi.fn(() => {}).mockReturnValueOnce(new Promise<void>(() => {}) as never)
  const receive = createCallbackReceiver({ verify: 'none', handle, onError: () => {} })
  const deliver = async () => {
    const url = 'https://publisher.example/callbacks'
    return (await receive(await createTestCallback({ url, lead_id, event: 'approved' }))).status
  }
  const first = soFar(deliver())
  await vi.advanceTimersByTimeAsync(7_999)
  expect(first()).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(first()).toBe(503)
  await vi.advanceTimersByTimeAsync(21_999)
  expect(await deliver()).toBe(503)
  await vi.advanceTimersByTimeAsync(1)
  expect([await deliver(), handle.mock.calls.length]).toEqual([200, 2])
})
