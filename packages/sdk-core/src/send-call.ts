import { keyHeader } from '@lead-distribution/contract'
import { type Call, type CallEventListener, CallProgress, type CallResult } from './call.ts'
import { ConfigError, LeadSdkError } from './errors.ts'
import {
  abortedError,
  errorOfFailure,
  type Failure,
  failureOfError,
  failureOfResponse,
  jsonObject,
  notBuilt,
  tooLate,
} from './failure.ts'
import { maxMs } from './options.ts'
import { harmlessHeaders, sensitiveIn } from './redact.ts'
import { callIdHeader } from './request-headers.ts'
import { delayOf, failureOfStatus, maybeProcessed, mayRepeat } from './retry.ts'
import { mayResend } from './runtime.ts'
import { type Fetch, sendRequest, untilAborted } from './send-request.ts'

/** A call with its client's settings. */
export interface ReadyCall extends Call {
  url: string
  timeoutMs: number
  deadlineMs: number
  maxRetries: number
  signal: AbortSignal | undefined
  keepAlive: boolean
  fetch?: Fetch | undefined
  onEvent?: CallEventListener | undefined
  /** The client's and the caller's headers. */
  headers: Record<string, string>
  key: (() => string | Promise<string>) | undefined
}

/**
 * Loads ky on the first call rather than on import: ky loads the runtime's whole network stack, and importing an SDK
 * stays fast.
 */
const loadKy = () =>
  import('ky').catch(() => {
    throw new ConfigError('`ky` could not be loaded. Reinstall the packages, or deploy every file of your bundle.')
  })

/** Sends a call and retries where the retry table allows, within the call's limits. Rejects with a LeadSdkError. */
export async function sendCall(call: ReadyCall): Promise<CallResult> {
  const { signal, deadlineMs, maxRetries } = call
  const progress = new CallProgress(call.name, call.onEvent)
  const left = () => deadlineMs - progress.elapsed()
  const deadline = new AbortController()
  const timer = deadlineMs <= maxMs ? setTimeout(() => deadline.abort(), deadlineMs) : undefined
  let { method, nextMethod } = call
  /** The failure of the last attempt. */
  let failure: Failure | undefined
  /** True if an earlier attempt may have been processed. */
  let maybeBefore = false
  try {
    const ended = timer === undefined ? signal : AbortSignal.any(signal ? [signal, deadline.signal] : [deadline.signal])
    const ky = await loadKy()
    const key = await untilAborted(ended, () => call.key?.())
    for (let retries = 0; ; ) {
      const reply = await attempt(
        ky,
        { ...call, method },
        { key, ended, limitMs: Math.min(call.timeoutMs, left()) },
        progress,
      )
      if ('body' in reply) {
        const { status, body } = reply
        const mayBeResent = mayResend(call.url, call.fetch !== undefined)
        return { status, body, meta: { ...progress.meta(), status }, mayBeResent }
      }
      failure = reply
      if (nextMethod && [405, 501].includes(failure.response?.status ?? 0)) {
        method = nextMethod
        nextMethod = undefined
        call.onNextMethod?.(method)
        continue
      }
      const waitMs = delayOf(retries + 1, failure.response?.retryAfterMs ?? null)
      // A timer may fire a millisecond early, leaving no time for another attempt.
      if (!mayRepeat(call, failure.kind) || retries >= maxRetries || waitMs + 1 >= left()) break
      retries += 1
      maybeBefore ||= maybeProcessed(failure.kind)
      progress.retries(failure.why, waitMs)
      await pause(waitMs, ended)
    }
    throw errorOfFailure({ call, progress, failure, maybeBefore })
  } catch (error) {
    const end = LeadSdkError.is(error)
      ? error
      : signal?.aborted
        ? abortedError(call, progress, maybeBefore)
        : errorOfFailure({ call, progress, failure: failure ?? notBuilt(deadline.signal.aborted), maybeBefore })
    progress.failed(end)
    throw end
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Sends one request through ky, which enforces the time limit, and reads the whole response. Rejects if the call was
 * aborted or the request could not be built.
 */
async function attempt(
  { default: ky, isTimeoutError }: typeof import('ky'),
  call: ReadyCall,
  { key, ended, limitMs }: { key: string | undefined; ended: AbortSignal | undefined; limitMs: number },
  progress: CallProgress,
): Promise<Pick<CallResult, 'status' | 'body'> | Failure> {
  const { url, method, body, isOutcome, keepAlive, fetch = globalThis.fetch } = call
  const headers = new Headers({
    ...call.headers,
    accept: 'application/json',
    [callIdHeader]: progress.callId,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(key && { [keyHeader]: key }),
  })
  let text = ''
  try {
    const { status, headers: received } = await ky(url, {
      method,
      signal: ended ?? null,
      timeout: Math.max(0, limitMs),
      retry: 0,
      throwHttpErrors: false,
      // Passes URL, headers and body unchanged rather than ky's Request: this preserves a token, and a custom fetch may
      // not know this runtime's Request.
      fetch: async request => {
        const init = { method, headers, signal: (request as Request).signal, ...(body !== undefined && { body }) }
        const whole = await untilAborted(ended, () => {
          progress.attempted(method)
          return sendRequest(fetch, url, init, keepAlive)
        })
        text = whole.text
        return whole.response
      },
    })
    const isSensitive = sensitiveIn(url, headers, body)
    progress.responded(status, harmlessHeaders(received, isSensitive))
    const json = jsonObject(text)
    if (json && (!failureOfStatus(status) || isOutcome?.(status, json))) return { status, body: json }
    return failureOfResponse({ status, headers: received }, json, isSensitive)
  } catch (error) {
    if (call.signal?.aborted || !progress.inFlight) throw error
    return isTimeoutError(error) || ended?.aborted ? tooLate(limitMs) : failureOfError(error)
  }
}

/** Waits; rejects as soon as the signal aborts. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const wait = (resolve: (value: undefined) => void) => {
      timer = setTimeout(resolve, ms, undefined)
    }
    await untilAborted(signal, () => new Promise(wait))
  } finally {
    clearTimeout(timer)
  }
}
