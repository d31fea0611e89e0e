import {
  answerMs,
  type CallbackResponse,
  type Dial,
  type Dialer,
  maxUnmaskedBytes,
  type ReceivedAnswer,
  type Timer,
} from '@lead-distribution/simulator'

/**
 * Receives a callback like the publisher's server: a GET request with `lead_id` and `event` in its query and, if the
 * account signs callbacks, the signature headers. If it throws or returns a `Response` with a status other than 2xx,
 * the attempt fails and is retried on the tenant's clock. Any other return value counts as a 200.
 * @category Callbacks
 */ // Spec 6.2
export type OnCallback = (callback: Request) => unknown

/** The dependencies of the callback dialer. */
export interface CallbackDialerOptions {
  readonly timer: Timer
  /** Returns the function that receives a lead's callbacks in process, if there is one. */
  readonly receiverOf: (leadId: string) => Promise<OnCallback | undefined>
  /** Returns the reason why a URL must not be fetched; undefined if it may. */
  readonly refuse: (url: string) => string | undefined
}

/**
 * Creates the dialer of a sandbox without sockets: it calls a function, or uses a `fetch` that bypasses msw's handlers.
 */
export function createCallbackDialer({ timer, receiverOf, refuse }: CallbackDialerOptions): Dialer {
  const closed = new AbortController()

  async function sendCallback({ url, headers }: Dial, signal: AbortSignal) {
    const take = await receiverOf(new URL(url).searchParams.get('lead_id') ?? '')
    if (take) {
      const returned = await take(new Request(url, { headers, signal }))
      const answer = await readAnswer(copyOf(returned))
      return { status: statusOf(returned), ...(answer && { answer }) }
    }
    return send(url, { headers: { accept: '*/*', ...headers }, signal }, readAnswer)
  }

  async function send(
    url: string,
    init: RequestInit,
    read: (response: Response) => Promise<ReceivedAnswer | undefined> | undefined,
  ): Promise<CallbackResponse> {
    const error = refuse(url)
    if (error !== undefined) return { error }
    const request = { ...init, redirect: 'manual' } as const
    // msw is an optional peer: without it, there are no handlers to bypass.
    const bypass = await import('msw').then(
      msw => msw.bypass,
      () => undefined,
    )
    const response = await (bypass ? fetch(bypass(url, request)) : fetch(url, request))
    const isRedirect = response.type === 'opaqueredirect'
    const answer = isRedirect ? undefined : await read(response)
    cancel(response.body)
    if (isRedirect) return { error: 'responded with a redirect' }
    return { status: response.status, ...(answer && { answer }) }
  }

  /** Reads the headers and the start of the body of a response, with a short time limit. */
  async function readAnswer(response: Response | undefined): Promise<ReceivedAnswer | undefined> {
    if (!response) return undefined
    const { body } = response
    const headers = Object.fromEntries(response.headers.entries())
    if (!body) return { headers, text: '' }
    const reader = body.getReader()
    const decoder = new TextDecoder()
    let text = ''
    const read = async () => {
      while (text.length <= maxUnmaskedBytes) {
        const { done, value } = await reader.read()
        if (done) return false
        text += decoder.decode(value, { stream: true })
      }
      return true
    }
    let stop = () => {}
    const late = new Promise<true>(resolve => {
      stop = timer.after(answerMs, () => resolve(true))
    })
    // A body that breaks off is recorded as far as it was received.
    const truncated = await Promise.race([read().catch(() => true), late])
    stop()
    cancel(reader)
    return { headers, text: text.slice(0, maxUnmaskedBytes), truncated }
  }

  /** Waits for a response, until the time limit or until the sandbox is closed. */
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
      return within(timeoutMs, signal => send(url, { method: 'POST', headers, body, signal }, () => undefined))
    },
  }
}

/** Cancels the body without awaiting it, because with msw 2 that never resolves. */
function cancel(read: Pick<ReadableStream, 'cancel'> | null): void {
  read?.cancel().catch(() => {})
}

/** Copies a response so that a test can read its body later; undefined for anything else, or if it was read already. */
function copyOf(returned: unknown): Response | undefined {
  const { clone, bodyUsed, body } = Object(returned) as Partial<Response>
  return typeof clone === 'function' && !bodyUsed && !body?.locked ? (returned as Response).clone() : undefined
}

/** Returns a response's status. Not by `instanceof`, because jsdom has its own `Response` class. */
function statusOf(returned: unknown): number {
  const { status } = Object(returned)
  return typeof status === 'number' ? status : 200
}
