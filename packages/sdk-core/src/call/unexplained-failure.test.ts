import { describe, expect, it } from 'vitest'
import { replies, startFaultServer } from '../fault-server.fixture.ts'
import type { SharedOptions } from '../settings/client-options.ts'
import { createHttpClient } from './http-client.ts'

const fine = replies(200, { lead_id: 'l', status: 'new' })

/** The error that a submission ends with. */
function errorOf(options: SharedOptions & { baseUrl: string }, signal?: AbortSignal) {
  return createHttpClient({ apiKey: 'sandbox_key', ...options }, 'LEAD_PUBLISHER_API_KEY')
    .call({ name: 'submitLead', method: 'POST', to: { path: '/lead' }, body: '{}', withKey: true, options: { signal } })
    .then(
      () => expect.unreachable(),
      error => error,
    )
}

describe('an error before the first attempt', () => {
  it('is not taken for a slow `apiKey` function where the runtime cannot build the request', async () => {
    const server = await startFaultServer(fine)
    // As in a test environment that replaces the runtime's own AbortController.
    const { signal } = new AbortController()
    const foreign = Object.assign(new EventTarget(), { aborted: false, throwIfAborted: () => signal.throwIfAborted() })
    const error = await errorOf({ baseUrl: server.baseUrl }, foreign as AbortSignal)
    expect(error).toMatchObject({ code: 'not_sent', sent: 'no', retryable: false, meta: { attempts: 0 } })
    expect(error.message).toMatch(/^Nothing was sent: the request could not be built\. Check that `signal`/)
    expect(server.reached).toHaveLength(0)
  })

  it('names the deadline where that passed', async () => {
    const server = await startFaultServer(fine)
    const apiKey = () => new Promise<never>(() => {})
    const error = await errorOf({ baseUrl: server.baseUrl, apiKey, deadlineMs: 5 })
    expect(error.message).toBe(
      'Nothing was sent: the deadline passed before the first attempt. Raise `deadlineMs`: the `apiKey` function counts too.',
    )
  })
})

it('leaves the outcome unknown where the reply of a custom fetch cannot be read', async () => {
  const { baseUrl, reached } = await startFaultServer(fine)
  const wrapped = async (url: string, init: RequestInit) => {
    const { status } = await fetch(url, init)
    return { status, ok: true, headers: new Map([['content-type', 5]]), text: async () => '{}' } as never
  }
  const error = await errorOf({ baseUrl, fetch: wrapped })
  expect(error).toMatchObject({ code: 'outcome_unknown', sent: 'maybe', retryable: false })
  expect(reached).toHaveLength(1)
})
