import type { Fetch } from '@lead-distribution/publisher-sdk'
import { describe, expect, it } from 'vitest'
import { callNames, calls, clientOf, errorOf } from './calls.fixture.ts'
import { injected, leaks } from './injected.fixture.ts'
import { replies, stallsBody } from './steps.fixture.ts'
import { startWireServer } from './wire-server.fixture.ts'

const nowhere = 'http://127.0.0.1:9/api/v1'

/** Everything passed to a fetch, as an error might contain it. */
const secretOf = (url: string, init: RequestInit) =>
  `${url} ${JSON.stringify([...new Headers(init.headers)])} ${init.body} ${injected.email}`

/** A response from another realm, or from a library, with the right shape but another class. */
class ForeignResponse {
  readonly status = 200
  readonly ok = true
  readonly type = 'basic'
  readonly body = null
  readonly headers: Map<string, string> = new Map([['content-type', 'application/json']])
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  get [Symbol.toStringTag]() {
    return 'Response'
  }
  text() {
    return Promise.resolve(this.#text)
  }
}

describe('a call with a custom fetch', () => {
  const { make, fine } = calls.submit
  const lost = { code: 'outcome_unknown', sent: 'maybe', retryable: false, meta: { attempts: 1 } }

  const broken: [string, Fetch][] = [
    [
      'rejects with an error that contains everything',
      (url, init) => Promise.reject(Object.assign(new Error(secretOf(url, init)), { init, cause: init })),
    ],
    [
      'throws at once',
      (url, init) => {
        throw new TypeError(secretOf(url, init))
      },
    ],
    ['rejects with a text', (url, init) => Promise.reject(secretOf(url, init))],
    ['rejects with nothing', () => Promise.reject()],
    [
      'throws a hostile object',
      (url, init) =>
        Promise.reject({
          get code() {
            throw new Error(secretOf(url, init))
          },
        }),
    ],
    ['returns nothing', () => Promise.resolve(undefined as never)],
    ['returns a text', (url, init) => Promise.resolve(secretOf(url, init) as never)],
    [
      'returns a response that was read before',
      async () => {
        const response = Response.json(fine)
        await response.text()
        return response
      },
    ],
    [
      'returns a body that fails',
      (url, init) =>
        Promise.resolve(
          new Response(new ReadableStream({ pull: controller => controller.error(new Error(secretOf(url, init))) })),
        ),
    ],
  ]

  it.each(broken)('that %s leaves the outcome unknown and reveals nothing', async (_name, fetch) => {
    let asked = 0
    const counted: Fetch = (url, init) => {
      asked += 1
      return fetch(url, init)
    }
    const { client, events } = clientOf(nowhere, { fetch: counted })
    const error = await errorOf(make({ client }))
    expect(error).toMatchObject(lost)
    expect(asked).toBe(lost.meta.attempts)
    expect([...leaks(error), ...leaks(events)]).toEqual([])
  })

  it('that ignores its signal ends on time, and its late end does no harm', async () => {
    const server = await startWireServer(stallsBody)
    const deaf: Fetch = (url, init) => fetch(url, { ...init, signal: null })
    const { client } = clientOf(server.baseUrl, { fetch: deaf, timeoutMs: 500, maxRetries: 0 })
    expect(await errorOf(make({ client }))).toMatchObject({ code: 'outcome_unknown' })
    expect(server.open()).toBe(1)
    server.hangUp()
    await expect.poll(server.open).toBe(0)
  })

  it('whose response is from another realm is read like any other', async () => {
    const foreign = new ForeignResponse(JSON.stringify(fine)) as unknown as Response
    const { client } = clientOf(nowhere, { fetch: async () => foreign })
    expect((await make({ client })).meta).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
    })
  })
})

/** A `fetch` as Next.js patches it: it caches every response, also to a POST, unless the request says `no-store`. */
function fetchThatKeeps(): Fetch {
  const kept = new Map<string, Response>()
  return async (url, init) => {
    if (init.cache === 'no-store') return fetch(url, init)
    const key = `${init.method} ${url} ${init.body}`
    const response = kept.get(key) ?? (await fetch(url, init))
    kept.set(key, response.clone())
    return response
  }
}

it.each(callNames)('%s reaches the service each time, although a framework caches responses', async name => {
  const { make, fine } = calls[name]
  const server = await startWireServer(replies(200, fine))
  const { client } = clientOf(server.baseUrl, { fetch: fetchThatKeeps() })
  await make({ client })
  await make({ client })
  expect(server.reached).toHaveLength(2)
})
