/** Whether two UUIDs are the same: letter case does not matter (RFC 9562). */
export function isSameUuid(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase()
}
