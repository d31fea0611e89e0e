/**
 * An ISO 8601 duration of a fixed length, with its parts as groups. JSON Schema's format has no fractions of a second.
 */
export const durationPattern =
  /^P(?!$)(?:(\d+)W|(?:(\d+)D)?(?:T(?!$)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?)$/

/** Returns true for an ISO 8601 duration of a fixed length: weeks, or days, hours, minutes and seconds. */
export function isDuration(text: string): boolean {
  return durationPattern.test(text)
}

/**
 * Returns the length of an ISO 8601 duration, in milliseconds: `PT60S` is 60000. Months and years have no fixed length
 * and are not accepted.
 * @throws RangeError if the text is not such a duration.
 */
export function durationMs(text: string): number {
  const parts = durationPattern.exec(text)
  if (!parts)
    throw new RangeError('Write a duration such as PT60S, PT24H or P30D; months and years have no fixed length.')
  const [weeks, days, hours, minutes, seconds] = parts.slice(1).map(part => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ]
  return Math.round(((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000)
}

/**
 * Returns the ISO 8601 form of a duration, which may be abbreviated: `90s`, `15m`, `24h` or `30d`. Undefined for any
 * other text.
 */
export function readDuration(text: string): string | undefined {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? []
  if (count !== undefined) return unit === 'd' ? `P${count}D` : `PT${count}${unit.toUpperCase()}`
  return isDuration(text) ? text : undefined
}
