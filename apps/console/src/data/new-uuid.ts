import { toHex } from '@lead-distribution/contract'

/**
 * A new random UUID. Not by `crypto.randomUUID`, which browsers have only in a secure context: a page that came by plain
 * HTTP from another machine, as that of a shared sandbox does, is none.
 */
export function newUuid(): string {
  const hex = toHex(crypto.getRandomValues(new Uint8Array(16)))
  const version4 = `${hex.slice(0, 12)}4${hex.slice(13, 16)}8${hex.slice(17)}`
  return version4.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
