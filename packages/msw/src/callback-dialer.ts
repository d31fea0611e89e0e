import type { CallbackResponse, Dial, Dialer, Timer } from '@lead-distribution/simulator'

/**
 * Takes a callback as the publisher's server would: a GET with `lead_id` and `event` in its query and, if the account signs
 * callbacks, the headers of the signature. If it throws, or returns a `Response` with a status other than 2xx, the attempt
 * has failed and is retried on the tenant's clock. Any other return value counts as 200.
 */ // Spec 6.2
export type OnCallback = (callback: Request) => unknown

/** The dependencies of a callback dialer. */
export interface CallbackDialerOptions {
  readonly timer: Timer
  /** Returns the function that takes a lead's callbacks in process, if there is one. */
  readonly receiverOf: (leadId: string) => Promise<OnCallback | undefined>
  /** Returns why a URL must not be fetched; undefined if it may. */
  readonly refuse: (url: string) => string | undefined
}

/** Creates the dialer of a sandbox without sockets: it calls a function, or a `fetch` that bypasses the handlers of msw. */
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
    // msw is an optional peer: if it is not installed, none of its handlers can intercept.
    const bypass = await import('msw').then(
      msw => msw.bypass,
      () => undefined,
    )
    const response = await (bypass ? fetch(bypass(url, request)) : fetch(url, request))
    // Not awaited: with msw 2, cancelling a body never ends.
    response.body?.cancel().catch(() => {})
    return response.type === 'opaqueredirect' ? { error: 'answered by a redirect' } : { status: response.status }
  }

  /** Waits for a response until the time limit, or until the sandbox is closed. */
  function within(timeoutMs: number, run: (signal: AbortSignal) => Promise<CallbackResponse>) {
    const over = new AbortController()
    return new Promise<CallbackResponse>(resolve => {
      const end = (error: string) => {
        resolve({ error })
        over.abort()
      }
      const cancel = timer.after(timeoutMs, () => end(`no response within ${timeoutMs} ms`))
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

/** Returns the status of a response. Not by `instanceof`: jsdom has another `Response` than Node. */
function statusOf(returned: unknown): number {
  const { status } = Object(returned)
  return typeof status === 'number' ? status : 200
}
