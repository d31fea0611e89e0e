import type { Echo } from './echo.ts'

/** What is known of a call, whatever became of it. Holds no key, no token and no body. */
export interface CallMeta {
  /** HTTP status of the last reply; null where there was none. */
  status: number | null
  /** The harmless headers of the last reply, names in lower case; without those that repeat what was sent. */
  headers: Readonly<Record<string, string>>
  /** How many times the request was sent, or tried to be. */
  attempts: number
  /** Id of the call, a UUID of ours, the same in its events. */
  callId: string
  /** How long the whole call took, milliseconds. */
  ms: number
}

/** What is known of a call that was answered. */
export interface ReplyMeta extends CallMeta {
  /** HTTP status of the reply. */
  status: number
}

// A list of what may pass: a reply may echo a key in any header, and `location` of a redirect repeats a token.
const harmless = ['content-type', 'date', 'retry-after', 'server', 'via', 'x-request-id', 'cf-ray', 'allow']

/** The headers of a reply that may be kept and logged. */
export function harmlessHeaders(headers: Headers, echo: Echo): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of harmless) {
    const value = headers.get(name)
    // A date is no free text, and each reply has one.
    if (value && (/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(value) || !echo(value))) {
      kept[name] = value.slice(0, 200)
    }
  }
  return kept
}
