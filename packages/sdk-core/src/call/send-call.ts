import { keyHeader } from '@lead-distribution/contract'
import { callIdHeader, type RequestTrace, traceRequests } from '@lead-distribution/sdk-core/network'
import type { Options } from 'ky'
import { ConfigError } from '../errors/config-error.ts'
import { LeadSdkError } from '../errors/lead-sdk-error.ts'
import type { ClientOptions, Limits } from '../settings/client-options.ts'
import type { Call, CallResult } from './call.ts'
import { type CallProgress, followCall } from './call-events.ts'
import {
  abortedError,
  errorOfFailure,
  FailedAttempt,
  type Failure,
  failureOf,
  failureOfResponse,
  jsonObject,
  unexplained,
} from './failure.ts'
import { harmlessHeaders, sensitiveIn } from './redact.ts'
import { delayOf, failureOfStatus, longestMs, maybeProcessed, mayRepeat, type Waits } from './retry.ts'
import { mayResend, sendRequest, untilAborted } from './send-request.ts'

/** A call together with the settings of its client. */
export interface ReadyCall extends Call, Limits, Pick<ClientOptions, 'fetch' | 'onEvent'> {
  url: string
  /** Headers of the client and the caller. */
  headers: Record<string, string>
  key: (() => string | Promise<string>) | undefined
  waits: Waits
}

/** Loads ky at the first call, because it loads the runtime's whole network code: importing an SDK stays fast. */
const loadKy = () =>
  import('ky').catch(() => {
    throw new ConfigError('`ky` could not be loaded. Reinstall the packages, or deploy every file of your bundle.')
  })

/** Sends a call, and repeats it where the retry table allows, within its limits. Rejects with a LeadSdkError. */
export function sendCall(call: ReadyCall): Promise<CallResult> {
  return new CallInProgress(call).send(call.method, call.nextMethod)
}

/** ky repeats, waits and times out; this class decides by the retry table and keeps what an error must report. */
class CallInProgress {
  readonly #call: ReadyCall
  readonly #progress: CallProgress
  readonly #trace: RequestTrace | undefined
  #retries = 0
  /** True once Node has sent the request again by itself. */
  #repeated = false
  #delayMs = 0
  /** The round of the run in which the attempt was sent. */
  #round = 0
  /** Time limit of the attempt, milliseconds. */
  #attemptMs = 0
  /** True while a request is in flight. */
  #inFlight = false
  /** True if an earlier attempt may have been processed. */
  #maybeBefore = false
  /** The failure of the last attempt, as soon as it is known. */
  #failure: Failure | undefined
  #body: Record<string, unknown> | undefined
  /** Returns true if ky's own time-out ended an attempt: the runtime's has the same name. */
  #isTimeout: (error: unknown) => boolean = () => false

  constructor(call: ReadyCall) {
    this.#call = call
    this.#progress = followCall(call.name, call.onEvent)
    this.#trace = traceRequests(this.#progress.attempt.callId)
  }

  /** Sends the call with the first method, and with the next one if the service doesn't know the first. */
  async send(method: string, next?: string): Promise<CallResult> {
    try {
      const { default: ky, TimeoutError } = await loadKy()
      this.#isTimeout = error => error instanceof TimeoutError
      const { url, fetch } = this.#call
      const { status } = await ky(url, this.#optionsOf(method))
      const meta = { ...this.#progress.meta(), status }
      const mayBeResent = this.#repeated || mayResend(url, fetch !== undefined)
      return { status, body: this.#body ?? {}, method, meta, mayBeResent }
    } catch (error) {
      const failure = this.#failureOf(error)
      const unknownMethod = [405, 501].includes(failure?.response?.status ?? 0)
      if (next && unknownMethod && this.#left() > 0) {
        this.#call.onNextMethod?.(next)
        return await this.send(next)
      }
      const ended = this.#errorOf(error, failure)
      this.#progress.failed(ended)
      throw ended
    } finally {
      this.#trace?.end()
    }
  }

  #optionsOf(method: string): Options {
    const { body, headers, signal, timeoutMs, maxRetries, pace } = this.#call
    const left = this.#left()
    return {
      method,
      headers: {
        ...headers,
        accept: 'application/json',
        [callIdHeader]: this.#progress.attempt.callId,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      signal: signal ?? null,
      timeout: timeoutMs,
      totalTimeout: left <= longestMs ? left : false,
      // Some 422 responses are outcomes: the attempt has read which.
      throwHttpErrors: () => this.#failure !== undefined,
      retry: {
        // The pauses of a run cost no retry; `#shouldRetry` counts.
        limit: pace && maxRetries > 0 ? Number.MAX_SAFE_INTEGER : maxRetries - this.#retries,
        methods: [method],
        shouldRetry: ({ error }) => this.#shouldRetry(error),
        delay: () => this.#delayMs,
      },
      hooks: { beforeRequest: [({ request }) => this.#addKey(request)], beforeRetry: [() => this.#keepPace()] },
      // ky passes its own Request here.
      fetch: request => this.#attempt(request as Request, method),
    }
  }

  async #addKey({ headers }: Request): Promise<void> {
    const key = await untilAborted(this.#call.signal, () => this.#call.key?.())
    if (key) headers.set(keyHeader, key)
  }

  /** Waits until the run may send again, the deadline passes or the signal is aborted. */
  async #keepPace(): Promise<void> {
    const { pace, signal } = this.#call
    await untilAborted(signal, () => pace?.pause)
    signal?.throwIfAborted()
    if (pace?.ended && this.#failure) throw new FailedAttempt(this.#failure)
  }

  /** Sends one request and reads the whole response, all within ky's time-out of an attempt. */
  async #attempt({ headers, signal }: Request, method: string): Promise<Response> {
    const { url, body, timeoutMs, isOutcome, pace, fetch = globalThis.fetch } = this.#call
    this.#round = pace?.round ?? 0
    const attempted = () => this.#progress.attempted(method)
    attempted()
    this.#trace?.attempt(() => {
      this.#repeated = true
      attempted()
    })
    this.#attemptMs = Math.min(timeoutMs, this.#left())
    this.#failure = undefined
    // URL and body as text, not ky's Request: that keeps a token unchanged, and a custom fetch may not know
    // this runtime's Request.
    const init = { method, headers, signal, ...(body !== undefined && { body }) }
    const { response, text } = await untilAborted(this.#call.signal, () => {
      this.#inFlight = true
      return sendRequest(fetch, url, init)
    })
    this.#inFlight = false
    const isSensitive = sensitiveIn(url, headers, body)
    this.#progress.responded(response.status, harmlessHeaders(response.headers, isSensitive))
    const json = jsonObject(text)
    this.#body = json
    if (failureOfStatus(response.status) && !(json && isOutcome?.(response.status, json))) {
      this.#failure = failureOfResponse(response, json, isSensitive)
    } else if (!json) {
      const why = `the response (${response.status}) is not the JSON that the service sends`
      throw new FailedAttempt({ kind: 'reply_lost', why })
    }
    this.#setPace()
    return response
  }

  /** Tells the run whether the service asks to slow down. */
  #setPace(): void {
    const { pace, waits } = this.#call
    const { kind, response } = this.#failure ?? {}
    if (kind === 'rate_limited')
      pace?.slowDown(delayOf(pace.barrenRounds + 1, waits, response?.retryAfterMs ?? null), this.#round)
    else pace?.goOn()
  }

  #shouldRetry(error: unknown): boolean {
    if (this.#isAbort(error)) return false
    const failure = this.#failureOf(error)
    this.#failure = failure
    this.#inFlight = false
    const { maxRetries, pace, waits } = this.#call
    if (!failure || !mayRepeat(this.#call, failure.kind) || pace?.ended) return false
    const paused = failure.kind === 'rate_limited' ? pace : undefined
    // While the service takes other calls of the run, it only asks us to slow down.
    if ((paused ? paused.barrenRounds - 1 : this.#retries) >= maxRetries) return false
    const waitMs = paused?.left() ?? delayOf(this.#retries + 1, waits, failure.response?.retryAfterMs ?? null)
    // A timer may fire a millisecond early, which leaves no time for another attempt.
    if (waitMs + 1 >= this.#left()) return false
    // `#keepPace` waits for the pause: another call may extend it.
    this.#delayMs = paused ? 0 : waitMs
    if (!paused) this.#retries += 1
    this.#maybeBefore ||= maybeProcessed(failure.kind)
    this.#progress.retries(failure.why, waitMs)
    return true
  }

  /** Returns true if the signal ended the call; then it doesn't matter that its time may be over too. */
  #isAbort(error: unknown): boolean {
    const { aborted, reason } = this.#call.signal ?? {}
    return aborted === true && (this.#inFlight || error === reason)
  }

  /** Returns what an error of ky says about the last attempt; undefined if there was none. */
  #failureOf(error: unknown): Failure | undefined {
    const isLate = this.#isTimeout(error) && this.#inFlight
    const failure = error instanceof FailedAttempt ? error.failure : this.#failure
    if ((isLate || failure?.kind === 'reply_lost') && this.#trace?.provesUnsent()) return failureOf('not_reached')
    if (!isLate) return failure
    return { kind: 'reply_lost', why: `no complete response within ${Math.round(this.#attemptMs)} ms` }
  }

  /** Returns the error that the call ends with, never one of ky's, which hold the URL, the key and the response. */
  #errorOf(error: unknown, known: Failure | undefined): LeadSdkError {
    const { attempt } = this.#progress
    const meta = this.#progress.meta()
    const ended = { call: this.#call, attempt, meta }
    if (this.#isAbort(error))
      return abortedError(ended, this.#maybeBefore || (this.#inFlight && !this.#trace?.provesUnsent()))
    if (LeadSdkError.is(error)) return error
    const failure = known ?? unexplained(meta.attempts, this.#isTimeout(error))
    return errorOfFailure({ ...ended, failure, maybeBefore: this.#maybeBefore })
  }

  /** Returns the time left until the deadline, milliseconds. */
  #left(): number {
    return this.#call.deadlineMs - this.#progress.elapsed()
  }
}
