import { ConfigError, isLoopback } from '@lead-distribution/sdk-core/callbacks'

/** A callback URL, and the secret in its path. Both are secrets: store them like a password. */
export interface CallbackUrl {
  /** What the service's operator is given as the callback URL. */ // Spec 6.2
  readonly url: string
  /** What the receiver is given in `urlSecrets`. */
  readonly secret: string
}

/**
 * A callback URL below `base` with a fresh random secret of 32 bytes as the last segment of its path. In the
 * path, because the service's callback carries nothing else that the publisher chooses.
 * @param base Where the receiver is mounted, such as `https://publisher.example/callbacks`. Its query is kept.
 * @throws ConfigError where it is no https URL (http only for loopback).
 * @example
 * ```ts
 * import { createCallbackUrl } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * const { url, secret } = createCallbackUrl('https://publisher.example/callbacks')
 * // Give `url` to your account manager once, and keep `secret` like a password.
 * ```
 */
export function createCallbackUrl(base: string): CallbackUrl {
  const url = URL.canParse(base) ? new URL(base) : undefined
  const encrypted = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (!url || !encrypted || url.hash || url.username || url.password) {
    throw new ConfigError(
      'A callback URL must be absolute and https, without credentials and fragment; http only for loopback.',
    )
  }
  if (url.searchParams.has('lead_id') || url.searchParams.has('event')) {
    throw new ConfigError('A callback URL must not have `lead_id` or `event` in its query: the service sets them.')
  }
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const secret = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${secret}`
  return { url: url.href, secret }
}
