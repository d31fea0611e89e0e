import type { CallbackResponse, Dial, Dialer, Timer } from '@lead-distribution/simulator'

/**
 * Takes a callback as it would reach the publisher's server: a GET with `lead_id` and `event` in its query and, where the
 * account signs them, the headers of its signature. Where it returns a `Response` with a status outside of 200
 * to 299, or throws, the attempt has failed and is retried on the tenant's clock. Any other return value counts as 200.
 */ // Spec 6.2
export type OnCallback = (callback: Request) => unknown

/** What a dialer of callbacks works with. */
export interface CallbackDialerOptions {
  readonly timer: Timer
  /** The function that takes a lead's callbacks in process, where there is one. */
  readonly receiverOf: (leadId: string) => Promise<OnCallback | undefined>
  /** Why a URL must not be fetched; undefined where it may. */
  readonly refuse: (url: string) => string | undefined
}

/** The way out of a sandbox that has no sockets: into a function, or by a `fetch` that no handler of msw sees. */
export function createCallbackDialer({ timer, receiverOf, refuse }: CallbackDialerOptions): Dialer {
  const closed = new AbortController()

  async function sendCallback({ url, headers }: Dial, signal: AbortSignal) {
    const take = await receiverOf(new URL(url).searchParams.get('lead_id') ?? '')
    if (take) return { status: statusOf(await take(new Request(url, { headers, signal }))) }
    return send(url, { headers: { accept: '*/*', ...headers }, signal })
  }

  async function send(url: string, init: RequestInit) {
    const error = refuse(url)
    if (error !== undefined) return { error }
    const request = { ...init, redirect: 'manual' } as const
    // msw is an optional peer. Where it is not installed, no handler of it can be in the way.
    const bypass = await import('msw').then(
      msw => msw.bypass,
      () => undefined,
    )
    const reply = await (bypass ? fetch(bypass(url, request)) : fetch(url, request))
    // Not awaited: with msw 2 the cancelling of a body never ends.
    reply.body?.cancel().catch(() => {})
    return reply.type === 'opaqueredirect' ? { error: 'answered by a redirect' } : { status: reply.status }
  }

  /** Waits for a response so long, and no longer than the sandbox is open. */
  function within(timeoutMs: number, run: (signal: AbortSignal) => Promise<CallbackResponse>) {
    const over = new AbortController()
    return new Promise<CallbackResponse>(resolve => {
      const end = (error: string) => {
        resolve({ error })
        over.abort()
      }
      const cancel = timer.after(timeoutMs, () => end(`no reply within ${timeoutMs} ms`))
      const stop = () => end('the sandbox was closed')
      closed.signal.addEventListener('abort', stop)
      run(over.signal)
        .then(resolve, (error: unknown) => end(error instanceof Error ? error.message : 'the receiver threw'))
        .finally(() => {
          cancel()
          closed.signal.removeEventListener('abort', stop)
        })
    })
  }

  return {
    close: () => closed.abort(),
    get: dial => within(dial.timeoutMs, signal => sendCallback(dial, signal)),
    post({ url, json: body, timeoutMs }) {
      const headers = { 'content-type': 'application/json' }
      return within(timeoutMs, signal => send(url, { method: 'POST', headers, body, signal }))
    },
  }
}

/** Not by `instanceof`: a page of jsdom has another `Response` than Node. */
function statusOf(returned: unknown): number {
  const { status } = Object(returned)
  return typeof status === 'number' ? status : 200
}
