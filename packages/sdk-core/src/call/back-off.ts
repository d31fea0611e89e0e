/** How long a client waits between attempts, milliseconds. */
export interface BackOff {
  /** Upper bound of the first wait; doubles with each attempt. Default 500. */
  firstMs?: number | undefined
  /** Upper bound of every wait. Default 8000. */
  mostMs?: number | undefined
  /** The longest that `Retry-After` is obeyed. Default 30000. */
  retryAfterMs?: number | undefined
}

/**
 * The wait before the next attempt: full jitter, so that many clients do not come back together, or the
 * service's own `Retry-After`, capped.
 */
export function delayOf(attempt: number, backOff: BackOff, retryAfterMs: number | null): number {
  if (retryAfterMs !== null) return Math.min(retryAfterMs, backOff.retryAfterMs ?? 30_000)
  return Math.random() * Math.min((backOff.firstMs ?? 500) * 2 ** (attempt - 1), backOff.mostMs ?? 8000)
}

/** What a `Retry-After` header asks for, milliseconds: it carries seconds or an HTTP date. Null where it carries neither. */
export function parseRetryAfter(value: string | null | undefined, now: number): number | null {
  if (!value?.trim()) return null
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** Waits, or ends early when the signal aborts; leaves no listener and no timer behind. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end)
  })
}
