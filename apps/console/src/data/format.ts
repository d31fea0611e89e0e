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

/** A time as people read it: `22 Nov, 12:24:52`. Always UTC: it is the time of the tenant, not of the reader. */
export function formatTime(iso: string): string {
  return dayAndTime.format(new Date(iso))
}

const acronyms = /\b(?:http|id|ip|ok|url)\b/g

/** A wire word as people read it: `age_restriction` becomes `Age restriction`. */
export function formatWord(word: string): string {
  const text = word.replaceAll('_', ' ').replace(acronyms, acronym => acronym.toUpperCase())
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** An amount in whole euros: `€5,000`. */
export function formatEuros(amount: number): string {
  return `€${amount.toLocaleString('en-GB')}`
}

/** What the operations of the service, and callbacks, are in words. */
export const operationLabels = {
  submitLead: 'Submit a lead',
  reportEvent: 'Pixel',
  reportStatus: 'Status update',
  callback: 'Callback',
} as const

/** The end of an id, enough to recognise it: where a tenant has a seed, all its ids begin alike. */
export function shortId(id: string): string {
  return `…${id.slice(-8)}`
}

/** The path of a call without what all of them have in common. */
export function formatPath(path: string): string {
  return path.replace(basePath, '').replace(/[\da-f-]{36}/gi, shortId)
}

/** How long something took. */
export function formatMs(ms: number): string {
  return ms < 1 ? '< 1 ms' : `${Math.round(ms)} ms`
}

/** Says what happened to a response that never came. */
export function formatLostResponse(broken: string | undefined): string {
  return broken === 'cut' ? 'Cut' : 'No response'
}

/** Why a callback waits: held by its tenant, or by a fault of some effect. */
export function formatHold(held: NonNullable<Callback['held']>): string {
  return held === 'tenant' ? 'Held by you' : `Held by a fault: ${held}`
}

/** A value of a trace in one line: texts as they are, a band as `500 to 75000`, anything else as JSON. */
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
