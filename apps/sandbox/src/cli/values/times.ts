import { InvalidArgumentError } from 'commander'

/** As the control plane takes it: weeks, or days, hours, minutes and seconds. */
const iso = /^P(?=\d|T)(?:\d+W|(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d{1,3})?S)?)?)$/

const units: Readonly<Record<string, string>> = { s: 'S', m: 'M', h: 'H' }

const durations = 'a duration such as 90s, 15m, 24h, 30d or PT24H'
const times = 'a time with its zone, such as 2026-01-31T09:30:00Z'

/** Reads a duration: `90s`, `15m`, `24h`, `30d`, or as the control plane takes it, `PT24H`. Answers the latter. */
export function duration(text: string): string {
  const read = durationIn(text)
  if (read === undefined) throw new InvalidArgumentError(`Give ${durations}.`)
  return read
}

/** Reads a time with its zone. */
export function dateTime(text: string): string {
  if (!isDateTime(text)) throw new InvalidArgumentError(`Give ${times}.`)
  return text
}

/** Reads a time, or a duration back from now. */
export function since(text: string): string {
  const read = isDateTime(text) ? text : durationIn(text)
  if (read === undefined) throw new InvalidArgumentError(`Give ${durations}, back from now, or ${times}.`)
  return read
}

function durationIn(text: string): string | undefined {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? []
  if (count !== undefined) return unit === 'd' ? `P${count}D` : `PT${count}${units[unit]}`
  return iso.test(text) ? text : undefined
}

function isDateTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text))
}
