import { encodeToken, signToken, tokenKey } from './lead-token.ts'

/**
 * The event names of the pixel's `event` parameter.
 * @category Reports
 */ // Spec 4.3, 6.1
export const pixelEvents = ['registration', 'approved', 'rejected', 'completed', 'defaulted'] as const
/**
 * An event name of the pixel's `event` parameter.
 * @category Reports
 */ // Spec 4.3, 6.1
export type PixelEvent = (typeof pixelEvents)[number]

/**
 * The alternative names from the usage table, also used by the publisher's callback examples.
 * @category Reports
 */ // Spec 6.1
export const usageEvents = ['registration', 'loan_issued', 'loan_rejected', 'loan_paid', 'loan_defaulted'] as const
/**
 * An event name from the usage table.
 * @category Reports
 */ // Spec 6.1
export type UsageEvent = (typeof usageEvents)[number]

/** The status in the example of the body form: a separate event that the pixel does not have. */ // Spec 4.2
export const convertedStatus = 'converted'

/**
 * Every event name in the specification, in either vocabulary.
 * @category Reports
 */
export type EventName = PixelEvent | UsageEvent | typeof convertedStatus

/** The usage table's name for each pixel event. */ // Spec 6.1
export const usageNameOf = {
  registration: 'registration',
  approved: 'loan_issued',
  rejected: 'loan_rejected',
  completed: 'loan_paid',
  defaulted: 'loan_defaulted',
} as const satisfies Record<PixelEvent, UsageEvent>

/** The pixel's name for each event of the usage table. */
export const pixelNameOf = {
  registration: 'registration',
  loan_issued: 'approved',
  loan_rejected: 'rejected',
  loan_paid: 'completed',
  loan_defaulted: 'defaulted',
} as const satisfies Record<UsageEvent, PixelEvent>

/** Every accepted value of the pixel's `event`: the enumeration and its alternatives. */ // Spec 6.1
export const acceptedPixelEvents = [...new Set([...pixelEvents, ...usageEvents])] as readonly (
  | PixelEvent
  | UsageEvent
)[]

/** Every accepted value of the body form's `status` if only known ones are accepted. */ // Spec 4.2
export const knownStatuses = [convertedStatus, ...acceptedPixelEvents] as readonly EventName[]

/** Returns the pixel's name for an event on either list (`loan_issued`: `approved`), and any other name unchanged. */
export function canonicalEvent(name: string): string {
  return Object.hasOwn(pixelNameOf, name) ? pixelNameOf[name as UsageEvent] : name
}

/** Returns the usage table's name for an event on either list, and any other name unchanged. */
export function usageEvent(name: string): string {
  const canonical = canonicalEvent(name)
  return Object.hasOwn(usageNameOf, canonical) ? usageNameOf[canonical as PixelEvent] : canonical
}

/** The possible results of a pixel request. */ // Spec 3
export const eventOutcomes = ['received', 'ignored'] as const
/** The result of a pixel request. */ // Spec 3
export type EventOutcome = (typeof eventOutcomes)[number]

/** The maximum length of `ref`, in characters. The specification sets no limit. */
export const maxRefLength = 255

/**
 * The maximum length of a status that the specification does not define, in characters. The specification sets no
 * limit.
 */
export const maxStatusLength = 255

/**
 * Returns the URL of one callback: the publisher's own URL with its query unchanged, and with `lead_id` and `event`,
 * which replace any parameters of those names.
 */ // Spec 6.2
export function callbackUrl(base: string, lead_id: string, event: string): string {
  const url = new URL(base)
  const kept = url.search
    .slice(1)
    .split('&')
    .filter(pair => pair !== '' && !isOurs(pair))
  // A lone surrogate can't be escaped, so it is sent as the replacement character.
  url.search = [...kept, `lead_id=${lead_id}`, `event=${encodeURIComponent(event.toWellFormed())}`].join('&')
  url.hash = ''
  return url.href
}

function isOurs(pair: string): boolean {
  const [name] = new URLSearchParams(pair).keys()
  return name === 'lead_id' || name === 'event'
}

/*
 * The signature of a callback (an extension of the sandbox, after Standard Webhooks):
 *
 *   content   = `${webhook-id}.${webhook-timestamp}.${request target}`
 *   signature = 'v1,' + base64(HMAC-SHA256(secret bytes, UTF-8 of content))
 *
 * A callback is a GET without a body (Spec 6.2): the request target as received, `/path?query`, takes the place of
 * the body in Standard Webhooks. The timestamp is in whole seconds since 1970. The secret is
 * `whsec_` + base64 of its bytes.
 */

/** The content to sign, and the secret. */
export interface CallbackToSign {
  /** `whsec_` and base64. */
  secret: string
  /** The header `webhook-id`: identifies the callback, and stays the same for retries. */
  id: string
  /** The header `webhook-timestamp`: seconds since 1970, as text. */
  timestamp: string
  /** The request target as received: `/path?query`. */
  target: string
}

/** Returns the value of `webhook-signature`: `v1,` and base64. */
export async function signCallback({ secret, id, timestamp, target }: CallbackToSign): Promise<string> {
  const key = await tokenKey(secretBytes(secret), 'SHA-256')
  return `v1,${encodeToken(await signToken(key, `${id}.${timestamp}.${target}`), 'base64')}`
}

/** A delivery of a signed callback. */
export interface CallbackDelivery {
  /** `whsec_` and base64. */
  readonly secret: string
  /** Identifies the callback, and stays the same for retries. */
  readonly id: string
  /** The time of the attempt, in milliseconds since 1970. */
  readonly at: number
  /** The requested URL, including its query. */
  readonly url: string
}

/** Returns the headers that sign one delivery of a callback. */
export async function callbackSignatureHeaders({
  secret,
  id,
  at,
  url,
}: CallbackDelivery): Promise<Record<string, string>> {
  const { pathname, search } = new URL(url)
  const timestamp = String(Math.floor(at / 1000))
  const signature = await signCallback({ secret, id, timestamp, target: `${pathname}${search}` })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

/**
 * Returns true if a text is a signing secret: `whsec_` and base64 of 24 to 64 bytes, as in Standard Webhooks. `atob`
 * also accepts spaces, missing padding and stray bits, which other libraries refuse or decode differently.
 */
export function isSigningSecret(secret: string): boolean {
  try {
    const bytes = secretBytes(secret)
    const written = `whsec_${btoa(String.fromCharCode(...bytes))}`
    return written === secret && bytes.length >= 24 && bytes.length <= 64
  } catch {
    return false
  }
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(secret.replace(/^whsec_/, '')), character => character.charCodeAt(0))
}
