import { toHex } from '@lead-distribution/contract'

/**
 * Creates a random UUID. `crypto.randomUUID` exists only in a secure context, and a shared sandbox's page may come over
 * plain HTTP.
 */
export function newUuid(): string {
  const hex = toHex(crypto.getRandomValues(new Uint8Array(16)))
  const version4 = `${hex.slice(0, 12)}4${hex.slice(13, 16)}8${hex.slice(17)}`
  return version4.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
