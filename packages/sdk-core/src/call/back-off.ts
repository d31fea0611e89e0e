import { assertConfig } from '../errors/unsent-errors.ts'

/** The longest wait of a timer, milliseconds: beyond it, a timer fires at once. ky refuses a longer one. */
export const longestMs = 2_147_483_647

/** How long a client waits between attempts, milliseconds, each from 0 to 2147483647. */
export interface BackOff {
  /** Upper bound of the first wait; doubles with each attempt. Default 500. */
  firstMs?: number | undefined
  /** Upper bound of every wait, the first included. Default 8000, or `firstMs` where that is longer. */
  mostMs?: number | undefined
  /** The longest `Retry-After` that is respected. Default 30000. */
  retryAfterMs?: number | undefined
}

/** The waits, complete. */
export type Waits = { readonly [Wait in keyof BackOff]-?: number }

/**
 * The waits of the options, with the defaults.
 * @throws ConfigError one is no length of time, or `firstMs` is above `mostMs`.
 */
export function resolveBackOff(backOff: BackOff = {}): Waits {
  const { firstMs = 500, mostMs = Math.max(8000, firstMs), retryAfterMs = 30_000 } = backOff
  const areWaits = [firstMs, mostMs, retryAfterMs].every(ms => ms >= 0 && ms <= longestMs)
  assertConfig(
    areWaits && mostMs >= (backOff.firstMs ?? 0),
    `\`backOff\` must be milliseconds from 0 to ${longestMs}, and \`firstMs\` not above \`mostMs\`.`,
  )
  return { firstMs, mostMs, retryAfterMs }
}

/**
 * The wait before the next attempt: full jitter, so that many clients do not come back together, or the
 * service's own `Retry-After`, capped.
 */
export function delayOf(attempt: number, waits: Waits, retryAfterMs: number | null): number {
  if (retryAfterMs !== null) return Math.min(retryAfterMs, waits.retryAfterMs)
  return Math.random() * Math.min(waits.firstMs * 2 ** (attempt - 1), waits.mostMs)
}

/**
 * What a `Retry-After` header asks for, milliseconds: it carries seconds or an HTTP date. Null where it carries
 * neither. A wait longer than any timer is cut: a server may repeat anything in this header.
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | null {
  if (!value) return null
  // `Date.parse` without this check finds a date in almost anything that holds a number.
  const ms = /\d GMT\s*$/.test(value) ? Math.max(0, Date.parse(value) - now) : Number(value) * 1000
  return ms >= 0 ? Math.min(ms, longestMs) : null
}
