/**
 * The address of one callback: the publisher's own, its query unchanged, `lead_id` and `event` set on it
 * in place of parameters of those names.
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
 * How a callback is signed (an extension of the sandbox, after Standard Webhooks):
 *
 *   content   = `${webhook-id}.${webhook-timestamp}.${request target}`
 *   signature = 'v1,' + base64(HMAC-SHA256(secret bytes, UTF-8 of content))
 *
 * A callback is a GET without a body (Spec 6.2), so the request target as received, `/path?query`, takes the place of
 * the body in Standard Webhooks. The timestamp is in whole seconds since 1970. The secret is
 * `whsec_` + base64 of its bytes.
 */

const encoder = new TextEncoder()

/** What is signed, and with what. */
export interface CallbackToSign {
  /** `whsec_` and base64. */
  secret: string
  /** The header `webhook-id`: names the callback, the same for its retries. */
  id: string
  /** The header `webhook-timestamp`: seconds since 1970, as text. */
  timestamp: string
  /** The request target as received: `/path?query`. */
  target: string
}

/** The value of `webhook-signature`: `v1,` and base64. */
export async function signCallback({ secret, id, timestamp, target }: CallbackToSign): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', secretBytes(secret), algorithm, false, ['sign'])
  const mac = await crypto.subtle.sign('HMAC', key, encoder.encode(`${id}.${timestamp}.${target}`))
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`
}

/** The delivery of a callback that is signed. */
export interface CallbackDelivery {
  /** `whsec_` and base64. */
  readonly secret: string
  /** Names the callback, the same for its retries. */
  readonly id: string
  /** The time of the try, milliseconds since 1970. */
  readonly at: number
  /** Where it goes, its query included. */
  readonly url: string
}

/** The headers that sign one delivery of a callback. */
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

/** Whether a text is a signing secret: `whsec_` and base64 of 24 to 64 bytes, as Standard Webhooks has it. */
export function isSigningSecret(secret: string): boolean {
  try {
    const { length } = secretBytes(secret)
    return secret.startsWith('whsec_') && length >= 24 && length <= 64
  } catch {
    return false
  }
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(secret.replace(/^whsec_/, '')), character => character.charCodeAt(0))
}
