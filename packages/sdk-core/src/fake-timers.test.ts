import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createHttpClient } from './client.ts'
// As in a user's test: preloads the imports of a first call.
import './preload.ts'
import type { Fetch } from './send-request.ts'

const baseUrl = 'https://acme.example.com/api/v1'
const body = { lead_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11', status: 'approved' }

function report(fetch: Fetch, limits: object = {}) {
  const client = createHttpClient({ baseUrl, apiKey: 'k', fetch, ...limits }, 'LEAD_ADVERTISER_API_KEY')
  const to = { path: '/lead/3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11/status' }
  return client.call({ name: 'reportStatus', method: 'POST', to, body: '{}', withKey: true })
}

// Under vitest, the imports of a first call take real time, which fake timers don't advance, so that call comes first.
beforeAll(() => report(async () => Response.json(body)))
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('waits between attempts on timers that a test can advance', async () => {
  const replies = [Response.json({}, { status: 503 }), Response.json(body)]
  const calling = report(async () => replies.shift() as Response)
  await vi.advanceTimersByTimeAsync(500)
  expect(await calling).toMatchObject({ body, meta: { attempts: 2 } })
  expect(vi.getTimerCount()).toBe(0)
})

it('times out a hanging response on timers that a test can advance', async () => {
  const calling = report(() => new Promise(() => {}), { timeoutMs: 60_000, deadlineMs: 90_000 }).then(
    null,
    error => error,
  )
  await vi.advanceTimersByTimeAsync(90_000)
  expect(await calling).toMatchObject({ code: 'outcome_unknown', meta: { attempts: 2 } })
  expect(vi.getTimerCount()).toBe(0)
})
