import { useLeadSandbox } from '@lead-distribution/msw/vitest'
import { createPublisher } from '@lead-distribution/publisher-sdk'
import { createCallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'
import { createTestCallback } from '@lead-distribution/publisher-sdk/testing'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { lead, lead_id } from './injected.fixture.ts'

const sandbox = useLeadSandbox()

/** Returns a function that reads a promise's value; undefined while it is pending. */
function soFar<Value>(promise: Promise<Value>): () => Value | undefined {
  let settled: Value | undefined
  void promise.then(value => {
    settled = value
  })
  return () => settled
}

it('waits one second of real time for a callback that a test expects', async () => {
  const { base_url: baseUrl, publisher } = sandbox.account
  const { lead_id } = await createPublisher({ baseUrl, apiKey: publisher.api_key }).submit(
    sandbox.testLeads.distributed(),
  )
  const expected = expect(sandbox).toHaveDelivered({ event: 'approved', leadId: `${lead_id}` })
  await expect(expected).rejects.toThrow('within 1000 ms')
})

describe('with fake timers', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

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

  it('gives a callback handler eight seconds, and accepts a redelivery of its event after thirty', async () => {
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

  it("gives a control client's request thirty seconds", async () => {
    // The client is loaded under fake timers and uses the platform's timeouts, so the test ends this one itself.
    vi.resetModules()
    const over = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(over.signal)
    onTestFinished(() => timeout.mockRestore())
    const { createSandboxClient } = await import('@lead-distribution/control-client')
    const sent = Promise.withResolvers<void>()
    const fetch = (request: RequestInfo | URL) => {
      sent.resolve()
      const { signal } = request as Request
      return new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const client = createSandboxClient({ baseUrl: 'http://127.0.0.1:4010', fetch })
    const freezing = client.control('demo').clock.freeze()
    await sent.promise
    over.abort()
    await expect(freezing).rejects.toMatchObject({ code: 'timed_out' })
    expect(timeout.mock.calls).toEqual([[30_000]])
  })
})
