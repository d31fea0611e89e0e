/**
 * A time of the wire, short: `2026-01-31 09:30:00`, in UTC. Not "five minutes ago": a tenant's clock is its own, and
 * stands still or runs ahead as its tests want.
 */
export function shortTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}`
}
