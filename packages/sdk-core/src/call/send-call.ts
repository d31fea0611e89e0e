import { keyHeader } from '@lead-distribution/contract'
import { callIdHeader, type RequestTrace, traceRequests } from '@lead-distribution/sdk-core/network'
import type { Options } from 'ky'
import { LeadSdkError } from '../errors/lead-sdk-error.ts'
import { ConfigError } from '../errors/unsent-errors.ts'
import type { Limits, SharedOptions } from '../settings/client-options.ts'
import type { Call, CallResult } from './call.ts'
import { abortedError, errorOfFailure } from './call-errors.ts'
import { type CallProgress, followCall } from './call-events.ts'
import { FailedAttempt, type Failure, failureOf, failureOfReply, jsonObject, unexplained } from './failure.ts'
import { harmlessHeaders, sensitiveIn } from './redact.ts'
import { delayOf, failureOfStatus, longestMs, maybeProcessed, mayRepeat, type Waits } from './retry.ts'
import { mayResend } from './runtime.ts'
import { sendRequest, untilAborted } from './send-request.ts'

/** A call with all that its client gives it. */
export interface ReadyCall extends Call, Limits, Pick<SharedOptions, 'fetch' | 'onEvent'> {
  url: string
  /** Headers besides those of each call. */
  headers: Record<string, string>
  key: (() => string | Promise<string>) | undefined
  waits: Waits
}

/** ky loads the runtime's whole network code, so it is loaded at the first call: an import of an SDK stays quick. */
const loadKy = () =>
  import('ky').catch(() => {
    throw new ConfigError('`ky` cannot be loaded. Install the packages again, or deploy every file of your bundle.')
  })

/** Sends a call, and again where the retry table allows it, within its limits. Rejects with a LeadSdkError. */
export function sendCall(call: ReadyCall): Promise<CallResult> {
  return new CallInProgress(call).send(call.method, call.nextMethod)
}

/** ky repeats, waits and times out; this class decides by the table, and keeps what an error must report. */
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
  /** How long the attempt may take, milliseconds. */
  #attemptMs = 0
  /** Whether a request was sent whose reply is not read yet. */
  #underWay = false
  /** Whether an earlier attempt may have been processed. */
  #maybeBefore = false
  /** How the last attempt failed, as soon as that is known. */
  #failure: Failure | undefined
  #body: Record<string, unknown> | undefined
  /** Whether ky's own time-out ended an attempt: the runtime's has the same name. */
  #isTimeout: (error: unknown) => boolean = () => false

  constructor(call: ReadyCall) {
    this.#call = call
    this.#progress = followCall(call.name, call.onEvent)
    this.#trace = traceRequests(this.#progress.attempt.callId)
  }

  /** Sends the call by the first method, and by the next where the service does not know that one. */
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
      const unknownMethod = [405, 501].includes(failure?.reply?.status ?? 0)
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
      // A 422 of some kinds is an outcome: the attempt has read what it is.
      throwHttpErrors: () => this.#failure !== undefined,
      retry: {
        // The pauses of a run cost no retry: `#shouldRetry` counts.
        limit: pace && maxRetries > 0 ? Number.MAX_SAFE_INTEGER : maxRetries - this.#retries,
        methods: [method],
        shouldRetry: ({ error }) => this.#shouldRetry(error),
        delay: () => this.#delayMs,
      },
      hooks: { beforeRequest: [({ request }) => this.#addKey(request)], beforeRetry: [() => this.#keepPace()] },
      // ky gives its own Request here.
      fetch: request => this.#attempt(request as Request, method),
    }
  }

  async #addKey({ headers }: Request): Promise<void> {
    const key = await untilAborted(this.#call.signal, () => this.#call.key?.())
    if (key) headers.set(keyHeader, key)
  }

  /** Waits until the run may send again. The deadline and the signal end the wait. */
  async #keepPace(): Promise<void> {
    const { pace, signal } = this.#call
    await untilAborted(signal, () => pace?.pause)
    signal?.throwIfAborted()
    if (pace?.ended && this.#failure) throw new FailedAttempt(this.#failure)
  }

  /** One request and its whole reply: ky's time-out of an attempt covers all of it. */
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
      this.#underWay = true
      return sendRequest(fetch, url, init)
    })
    this.#underWay = false
    const isSensitive = sensitiveIn(url, headers, body)
    this.#progress.replied(response.status, harmlessHeaders(response.headers, isSensitive))
    const reply = jsonObject(text)
    this.#body = reply
    if (failureOfStatus(response.status) && !(reply && isOutcome?.(response.status, reply))) {
      this.#failure = failureOfReply(response, reply, isSensitive)
    } else if (!reply) {
      const why = `the reply (${response.status}) is not the JSON that the service sends`
      throw new FailedAttempt({ kind: 'reply_lost', why })
    }
    this.#setPace()
    return response
  }

  /** Tells the run whether the service asks to slow down. */
  #setPace(): void {
    const { pace, waits } = this.#call
    const { kind, reply } = this.#failure ?? {}
    if (kind === 'rate_limited')
      pace?.slowDown(delayOf(pace.barrenRounds + 1, waits, reply?.retryAfterMs ?? null), this.#round)
    else pace?.goOn()
  }

  #shouldRetry(error: unknown): boolean {
    if (this.#isAbort(error)) return false
    const failure = this.#failureOf(error)
    this.#failure = failure
    this.#underWay = false
    const { maxRetries, pace, waits } = this.#call
    if (!failure || !mayRepeat(this.#call, failure.kind) || pace?.ended) return false
    const paused = failure.kind === 'rate_limited' ? pace : undefined
    // While the service takes other calls of the run, it only asks not to come so fast.
    if ((paused ? paused.barrenRounds - 1 : this.#retries) >= maxRetries) return false
    const waitMs = paused?.left() ?? delayOf(this.#retries + 1, waits, failure.reply?.retryAfterMs ?? null)
    // A timer may come a millisecond early: what is left then is no time to try again.
    if (waitMs + 1 >= this.#left()) return false
    // The pause is waited for in `#keepPace`: another call may make it longer.
    this.#delayMs = paused ? 0 : waitMs
    if (!paused) this.#retries += 1
    this.#maybeBefore ||= maybeProcessed(failure.kind)
    this.#progress.retries(failure.why, waitMs)
    return true
  }

  /** Whether the signal ended the call. Its time may be over too, which is of no interest then. */
  #isAbort(error: unknown): boolean {
    const { aborted, reason } = this.#call.signal ?? {}
    return aborted === true && (this.#underWay || error === reason)
  }

  /** What an error of ky reports about the last attempt; undefined where there was none. */
  #failureOf(error: unknown): Failure | undefined {
    const isLate = this.#isTimeout(error) && this.#underWay
    const failure = error instanceof FailedAttempt ? error.failure : this.#failure
    if ((isLate || failure?.kind === 'reply_lost') && this.#trace?.provesUnsent()) return failureOf('not_reached')
    if (!isLate) return failure
    return { kind: 'reply_lost', why: `no whole reply within ${Math.round(this.#attemptMs)} ms` }
  }

  /** The error that the call ends with: none of ky's, which hold the URL, the key and the reply. */
  #errorOf(error: unknown, known: Failure | undefined): LeadSdkError {
    const { attempt } = this.#progress
    const meta = this.#progress.meta()
    const ended = { call: this.#call, attempt, meta }
    if (this.#isAbort(error))
      return abortedError(ended, this.#maybeBefore || (this.#underWay && !this.#trace?.provesUnsent()))
    if (LeadSdkError.is(error)) return error
    const failure = known ?? unexplained(meta.attempts, this.#isTimeout(error))
    return errorOfFailure({ ...ended, failure, maybeBefore: this.#maybeBefore })
  }

  /** Milliseconds that are left of the deadline. */
  #left(): number {
    return this.#call.deadlineMs - this.#progress.elapsed()
  }
}
