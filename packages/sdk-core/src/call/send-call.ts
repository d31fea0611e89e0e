import { keyHeader } from '@lead-distribution/contract'
import { AbortedError } from '../errors/aborted-error.ts'
import type { LeadSdkError } from '../errors/lead-sdk-error.ts'
import { NotSentError } from '../errors/not-sent-error.ts'
import type { SharedOptions } from '../settings/client-options.ts'
import { resolveLimits } from '../settings/limits.ts'
import { delayOf, pause, type Waits } from './back-off.ts'
import type { Answered, Call } from './call.ts'
import { harmlessHeaders } from './call-meta.ts'
import { echoOf } from './echo.ts'
import { errorOfFailure } from './error-of-failure.ts'
import { exchange } from './exchange.ts'
import { followCall } from './progress.ts'
import { readReply } from './read-reply.ts'
import { maybeProcessed, retryTable } from './retry-table.ts'
import { type Stop, within } from './within.ts'

/** A call made ready: its URL stands, and where its key comes from. */
export interface ReadyCall extends Call {
  url: string
  key: (() => string | Promise<string>) | undefined
}

/** Sends a call, and again as the retry table says, within its limits. Rejects with a LeadSdkError. */
export async function sendCall(call: ReadyCall, client: SharedOptions, waits: Waits): Promise<Answered> {
  const { signal, timeoutMs, deadlineMs, maxRetries } = resolveLimits(client, call.options)
  const progress = followCall(call.name, client.onEvent)
  const left = () => deadlineMs - progress.elapsed()
  const headers: Record<string, string> = { accept: 'application/json' }
  if (call.body !== undefined) headers['content-type'] = 'application/json'
  if (signal?.aborted) throw aborted(false)
  if (call.key) headers[keyHeader] = await keyOf(call.key)
  const echo = echoOf(call.url, headers, call.body)
  const methods = [...call.methods]
  let method = methods.shift() as string
  let failures = 0
  let maybe = false
  for (;;) {
    if (signal?.aborted) throw aborted(maybe)
    progress.sends(method)
    // Its listener may have aborted.
    if (signal?.aborted) throw aborted(maybe)
    const exchanged = await exchange({
      url: call.url,
      method,
      headers,
      body: call.body,
      timeoutMs: Math.min(timeoutMs, Math.max(left(), 1)),
      signal,
      fetch: client.fetch,
    })
    if ('aborted' in exchanged) throw aborted(true)
    if ('status' in exchanged) progress.replied(exchanged.status, harmlessHeaders(exchanged.headers, echo))
    const read = readReply(exchanged, call, echo)
    if ('body' in read) return { ...read, method, meta: { ...progress.meta(), status: read.status } }
    const next = left() > 0 && (read.status === 405 || read.status === 501) ? methods.shift() : undefined
    if (next) {
      method = next
      call.onNextMethod?.(next)
      continue
    }
    failures += 1
    const delayMs = delayOf(failures, waits, read.retryAfterMs)
    const repeats =
      retryTable[read.kind][call.name] === 'retry' && (call.repeatUnknown !== false || !maybeProcessed(read.kind))
    const lost = () => {
      const { attempt } = progress
      const facts = { call: call.name, failure: read, maybeBefore: maybe, meta: progress.meta(), attempt }
      return progress.fails(errorOfFailure(facts))
    }
    // A timer may come a millisecond early: what is left then is no time to try again.
    if (!repeats || failures > maxRetries || delayMs + 1 >= left()) throw lost()
    progress.tell({ type: 'retry', reason: read.why, delayMs: Math.round(delayMs) })
    await pause(delayMs, signal)
    // The pause may overrun: what is sent past the deadline would make the outcome of a submission unknown.
    if (!signal?.aborted && left() <= 0) throw lost()
    maybe ||= maybeProcessed(read.kind)
  }

  async function keyOf(key: () => string | Promise<string>): Promise<string> {
    let ended: { key: string } | Stop
    try {
      const given = key()
      if (typeof given === 'string') return given
      ended = await within(left(), signal, async () => ({ key: await given }))
    } catch (error) {
      throw progress.fails(error as LeadSdkError)
    }
    if (typeof ended === 'object') return ended.key
    if (ended === 'aborted') throw aborted(false)
    const facts = { sent: 'no', retryable: true, meta: progress.meta() } as const
    throw progress.fails(
      new NotSentError('Nothing was sent: the `apiKey` function took longer than the deadline. Send it again.', facts),
    )
  }

  function aborted(maybe: boolean) {
    const facts = { sent: maybe ? 'maybe' : 'no', retryable: !maybe || call.name !== 'submitLead' } as const
    const what = maybe ? 'Its outcome is unknown: the request was under way.' : 'Nothing was processed.'
    const message = `The call was aborted by its signal. ${what}`
    return progress.fails(new AbortedError(message, { ...facts, meta: progress.meta() }, progress.attempt))
  }
}
