import { encodeToken, signToken, tokenKey } from './lead-token.ts'

/**
 * Event names of the pixel's `event` parameter.
 * @category Reports
 */ // Spec 4.3, 6.1
export const pixelEvents = ['registration', 'approved', 'rejected', 'completed', 'defaulted'] as const
/**
 * Event name of the pixel's `event` parameter.
 * @category Reports
 */ // Spec 4.3, 6.1
export type PixelEvent = (typeof pixelEvents)[number]

/**
 * The alternative names of the usage table, also used by the publisher's callback examples.
 * @category Reports
 */ // Spec 6.1
export const usageEvents = ['registration', 'loan_issued', 'loan_rejected', 'loan_paid', 'loan_defaulted'] as const
/**
 * Event name of the usage table.
 * @category Reports
 */ // Spec 6.1
export type UsageEvent = (typeof usageEvents)[number]

/** The status in the body form's example: an event of its own that the pixel does not have. */ // Spec 4.2
export const convertedStatus = 'converted'

/**
 * Every event name that the specification knows, in either vocabulary.
 * @category Reports
 */
export type EventName = PixelEvent | UsageEvent | typeof convertedStatus

/** The usage table's name of each pixel event. */ // Spec 6.1
export const usageNameOf = {
  registration: 'registration',
  approved: 'loan_issued',
  rejected: 'loan_rejected',
  completed: 'loan_paid',
  defaulted: 'loan_defaulted',
} as const satisfies Record<PixelEvent, UsageEvent>

/** The pixel's name of each event of the usage table. */
export const pixelNameOf = {
  registration: 'registration',
  loan_issued: 'approved',
  loan_rejected: 'rejected',
  loan_paid: 'completed',
  loan_defaulted: 'defaulted',
} as const satisfies Record<UsageEvent, PixelEvent>

/** Every name that the pixel's `event` may have: the enumeration and its alternatives. */ // Spec 6.1
export const acceptedPixelEvents = [...new Set([...pixelEvents, ...usageEvents])] as readonly (
  | PixelEvent
  | UsageEvent
)[]

/** Every name that the body form's `status` may have if only known ones are accepted. */ // Spec 4.2
export const knownStatuses = [convertedStatus, ...acceptedPixelEvents] as readonly EventName[]

/** Returns the pixel's name for an event of either list (`loan_issued`: `approved`), any other unchanged. */
export function canonicalEvent(name: string): string {
  return Object.hasOwn(pixelNameOf, name) ? pixelNameOf[name as UsageEvent] : name
}

/** Returns the usage table's name for an event of either list, any other name unchanged. */
export function usageEvent(name: string): string {
  const canonical = canonicalEvent(name)
  return Object.hasOwn(usageNameOf, canonical) ? usageNameOf[canonical as PixelEvent] : canonical
}

/** Possible results of a pixel call. */ // Spec 3
export const eventOutcomes = ['received', 'ignored'] as const
/** The result of a pixel call. */ // Spec 3
export type EventOutcome = (typeof eventOutcomes)[number]

/** The maximum length of `ref`, characters. The specification has no bound. */
export const maxRefLength = 255

/** The maximum length of a status that the specification does not know, characters. It has no bound either. */
export const maxStatusLength = 255

/**
 * Returns the address of one callback: the publisher's own with its query unchanged, and `lead_id` and `event` in place
 * of parameters of those names.
 */ // Spec 6.2
export function callbackUrl(base: string, lead_id: string, event: string): string {
  const url = new URL(base)
  const kept = url.search
    .slice(1)
    .split('&')
    .filter(pair => pair !== '' && !isOurs(pair))
  // A lone surrogate cannot be escaped: it goes out as the replacement character.
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

/** The content of a signature and its secret. */
export interface CallbackToSign {
  /** `whsec_` and base64. */
  secret: string
  /** The header `webhook-id`: identifies the callback; its retries have the same one. */
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

/** The delivery of a callback that is signed. */
export interface CallbackDelivery {
  /** `whsec_` and base64. */
  readonly secret: string
  /** Identifies the callback; its retries have the same one. */
  readonly id: string
  /** The time of the attempt, milliseconds since 1970. */
  readonly at: number
  /** The address that is requested, with its query. */
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
 * Returns true if a text is a signing secret: `whsec_` and base64 of 24 to 64 bytes, as in Standard Webhooks. `atob` also
 * takes blanks, missing padding and stray bits, which other libraries refuse or read as another secret.
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
