import { AbortedError } from '../errors/aborted-error.ts'
import type { SharedOptions } from '../settings/client-options.ts'
import { resolveLimits } from '../settings/limits.ts'
import { delayOf, pause } from './back-off.ts'
import type { Answered, Call } from './call.ts'
import { secretsOf } from './call-secrets.ts'
import { errorOfFailure } from './error-of-failure.ts'
import { exchange } from './exchange.ts'
import { followCall, type Progress } from './progress.ts'
import { readReply } from './read-reply.ts'
import { maybeProcessed, retryTable } from './retry-table.ts'

/** A call made ready: its URL and its headers stand. */
export interface ReadyCall extends Call {
  url: string
  headers: Record<string, string>
}

/** Sends a call, and again as the retry table says, within its limits. Rejects with a LeadSdkError. */
export async function sendCall(call: ReadyCall, client: SharedOptions): Promise<Answered> {
  const { signal } = call.options ?? {}
  const { timeoutMs, deadlineMs, maxRetries } = resolveLimits(client, call.options)
  const secrets = secretsOf(call.url, call.headers)
  const progress = followCall(call.name, client.onEvent, secrets)
  const left = () => deadlineMs - progress.elapsed()
  const methods = [...call.methods]
  let method = methods.shift() as string
  let failures = 0
  let maybe = false
  for (;;) {
    if (signal?.aborted) throw aborted(progress, maybe)
    progress.sends(method)
    const exchanged = await exchange({
      url: call.url,
      method,
      headers: call.headers,
      body: call.body,
      timeoutMs: Math.min(timeoutMs, Math.max(left(), 1)),
      signal,
      fetch: client.fetch,
    })
    if ('aborted' in exchanged) throw aborted(progress, true)
    if ('status' in exchanged) progress.replied(exchanged)
    const read = readReply(exchanged, call, secrets)
    if ('body' in read) return { ...read, method, meta: { ...progress.meta(), status: read.status } }
    const next = read.status === 405 || read.status === 501 ? methods.shift() : undefined
    if (next) {
      method = next
      continue
    }
    failures += 1
    const delayMs = delayOf(failures, client.backOff ?? {}, read.retryAfterMs)
    const repeats =
      retryTable[read.kind][call.name] === 'retry' && (call.repeatUnknown !== false || !maybeProcessed(read.kind))
    if (!repeats || failures > maxRetries || delayMs >= left()) {
      const { attempt } = progress
      const lost = { call: call.name, failure: read, maybeBefore: maybe, meta: progress.meta(), attempt }
      throw progress.fails(errorOfFailure(lost))
    }
    maybe ||= maybeProcessed(read.kind)
    progress.tell({ type: 'retry', reason: read.why, delayMs: Math.round(delayMs) })
    await pause(delayMs, signal)
  }
}

function aborted(progress: Progress, maybe: boolean) {
  const facts = { sent: maybe ? 'maybe' : 'no', retryable: !maybe, meta: progress.meta() } as const
  const what = maybe ? 'Its outcome is unknown: the request was under way.' : 'Nothing was processed.'
  return progress.fails(new AbortedError(`The call was aborted by its signal. ${what}`, facts, progress.attempt))
}
