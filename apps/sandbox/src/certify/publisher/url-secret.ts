import { randomBytes } from 'node:crypto'

/** How long a part of a URL must be to pass for a secret, characters. */
const leastLength = 16

/**
 * A callback URL with another secret in place of its own: the last part of its path, or else a value of its query,
 * that is long enough for one. Undefined where nothing in it is.
 */
export function otherSecret(callbackUrl: string): string | undefined {
  const { pathname, searchParams } = new URL(callbackUrl)
  const parts = [...pathname.split('/').reverse(), ...searchParams.values()]
  const secret = parts.find(part => part.length >= leastLength)
  return secret && callbackUrl.replace(secret, randomBytes(secret.length).toString('hex').slice(0, secret.length))
}
