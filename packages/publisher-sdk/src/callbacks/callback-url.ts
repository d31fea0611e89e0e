import { isLoopback } from '@lead-distribution/contract'
import { ConfigError } from '@lead-distribution/sdk-core/errors'

/**
 * Creates a callback URL: `base` with a new random secret of 32 bytes as the last path segment. Store both like a
 * password.
 * @param base The URL where the receiver is mounted, such as `https://publisher.example/callbacks`. Its query is
 * preserved.
 * @returns `url`, the callback URL for the service's operator, and `secret`, for the receiver's `urlSecrets`.
 * @throws ConfigError `base` is not an https URL (or http on loopback).
 * @example
 * ```ts
 * import { createCallbackUrl } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * const { url, secret } = createCallbackUrl('https://publisher.example/callbacks')
 * // Give `url` to your account manager, and store `secret` like a password.
 * ```
 * @category Callbacks
 */ // Spec 6.2
export function createCallbackUrl(base: string): { readonly url: string; readonly secret: string } {
  const url = URL.canParse(base) ? new URL(base) : undefined
  const encrypted = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (!url || !encrypted || url.hash || url.username || url.password) {
    throw new ConfigError(
      'A callback URL must be an absolute https URL (http only on loopback), without credentials or a fragment.',
    )
  }
  if (url.searchParams.has('lead_id') || url.searchParams.has('event')) {
    throw new ConfigError('A callback URL must not have `lead_id` or `event` in its query: the service adds them.')
  }
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const secret = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${secret}`
  return { url: url.href, secret }
}
