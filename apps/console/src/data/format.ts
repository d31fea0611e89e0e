import { basePath } from '@lead-distribution/contract'
import type { Callback } from '@lead-distribution/control-client'

const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
})

/** Formats a time: `22 Nov, 12:24:52`. Always in UTC, because it is the tenant's time, not the reader's. */
export function formatTime(iso: string): string {
  return dayAndTime.format(new Date(iso))
}

/** Formats a time without its day: `12:24:52`. */
export function formatTimeOfDay(iso: string): string {
  return new Date(iso).toISOString().slice(11, 19)
}

/** Formats a time with milliseconds, because a request and its callback often differ only in these. */
export function formatPreciseTime(iso: string): string {
  return `${formatTime(iso)}.${new Date(iso).toISOString().slice(20, 23)}`
}

const acronyms = /\b(?:api|http|id|ip|ok|url)\b/g

/** Formats a wire word: `age_restriction` becomes `Age restriction`. */
export function formatWord(word: string): string {
  const text = word.replaceAll('_', ' ').replace(acronyms, acronym => acronym.toUpperCase())
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Formats a number: `1,111`. */
export function formatNumber(number: number): string {
  return number.toLocaleString('en-GB')
}

/** Formats a count with a noun: `1 lead`, `2 leads`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats an amount in whole euros: `€5,000`. */
export function formatEuros(amount: number): string {
  return `€${formatNumber(amount)}`
}

/**
 * Formats a customer's name and id: `Ana García · crm-42`. Each is isolated, so that an Arabic name doesn't reverse the
 * order of the texts around it.
 */
export function formatCustomer(lead: {
  readonly customer_name?: string | undefined
  readonly external_id?: string | undefined
}): string {
  const texts = [lead.customer_name, lead.external_id].filter(Boolean)
  return texts.map(text => `\u2068${text}\u2069`).join(' · ')
}

/** Labels of the service's operations and of callbacks. */
export const operationLabels = {
  submitLead: 'Submit a lead',
  reportEvent: 'Pixel',
  reportStatus: 'Status update',
  callback: 'Callback',
} as const

/** Returns the end of an id, because all ids of a tenant with a seed start the same way. */
export function shortId(id: string): string {
  return `…${id.slice(-8)}`
}

/** Formats a path without the common base path, and with short ids. */
export function formatPath(path: string): string {
  return path.replace(basePath, '').replace(/[\da-f-]{36}/gi, shortId)
}

/** Formats a duration. */
export function formatMs(ms: number): string {
  return ms < 1 ? '< 1 ms' : `${Math.round(ms)} ms`
}

/** The units of durations, in milliseconds, longest first. */
const units = [
  ['y', 365 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** Formats a duration in its two largest units: `1 d 4 h`. */
export function formatLength(ms: number): string {
  const parts: string[] = []
  let rest = Math.abs(ms)
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0) parts.push(`${count} ${unit}`)
    else if (parts.length > 0) break
  }
  return parts.length === 0 ? 'less than 1 s' : parts.slice(0, 2).join(' ')
}

/** Formats a duration that may be shorter than a second: `350 ms`, `1 min 5 s`. */
export function formatGap(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return ms < 1_000 ? formatMs(ms) : formatLength(seconds * 1_000)
}

/** Formats the remaining time: `in 4 min 59 s`, or `now`. */
export function formatCountdown(ms: number): string {
  return ms < 1_000 ? 'now' : `in ${formatLength(ms)}`
}

/** Describes how a response was lost. */
export function formatLostResponse(broken: string | undefined): string {
  return broken === 'cut' ? 'Cut' : 'No response'
}

/** Describes what holds a callback: the tenant or a fault. */
export function formatHold(held: NonNullable<Callback['held']>): string {
  if (held === 'listener') return 'Held until a listener is connected'
  return held === 'tenant' ? 'Held by you' : `Held by a fault: ${held}`
}

/** Formats a trace's value in one line: a range as `500 to 75000`, an object's fields separated by dots. */
export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return '–'
  if (typeof value === 'string') return value
  if (isBand(value)) return `${value.min} to ${value.max}`
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(formatValue).join(', ')
  if (typeof value === 'object')
    return Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => `${name.replaceAll('_', ' ')} ${formatValue(each)}`)
      .join(' · ')
  return String(value)
}

function isBand(value: unknown): value is { min: unknown; max: unknown } {
  return typeof value === 'object' && value !== null && Object.keys(value).sort().join() === 'max,min'
}
