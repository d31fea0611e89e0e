const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns true if a text has the form of a UUID, of any version and in either letter case. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/** Returns a UUID in lower case, the only internal spelling (RFC 9562), and any other text unchanged. */
export function canonicalUuid(text: string): string {
  return isUuid(text) ? text.toLowerCase() : text
}

const datePattern = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

/** Returns true if a text is an existing date, as `YYYY-MM-DD`. `2023-02-30` is not. */
export function isCalendarDate(text: string): boolean {
  const day = Number(text.slice(8))
  return datePattern.test(text) && (day < 29 || day <= daysInMonth(Number(text.slice(0, 4)), Number(text.slice(5, 7))))
}

const timePattern = /^T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/**
 * Returns true if a text is an RFC 3339 date-time: an existing date, seconds, and a time zone (`Z` or an offset). A
 * leap second is valid only at 23:59:60 UTC.
 */
export function isDateTime(text: string): boolean {
  if (!isCalendarDate(text.slice(0, 10)) || !timePattern.test(text.slice(10))) return false
  return !isLeap(text) || new Date(dateTimeMs(text)).toISOString().includes('T00:00:00')
}

/**
 * Returns the time of a date-time, in milliseconds since 1970. A leap second equals the second after it, as in POSIX.
 */
export function dateTimeMs(text: string): number {
  // `Date.parse` doesn't support second 60, and may not accept lowercase letters.
  const known = isLeap(text) ? text.replace(':60', ':59') : text
  return Date.parse(known.toUpperCase()) + (isLeap(text) ? 1_000 : 0)
}

const isLeap = (text: string) => text.slice(17, 19) === '60'

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

const emailPattern =
  /^(?=.{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/i

/** The maximum length of an e-mail address, in characters. */ // RFC 5321, 4.5.3.1.3
export const maxEmailLength = 254

/**
 * Returns true for an e-mail address: a local part without quotes (RFC 5321) of at most 64 characters, and a host with
 * a dot and labels of at most 63 characters (RFC 1035).
 */
export function isEmail(text: string): boolean {
  return text.length <= maxEmailLength && emailPattern.test(text)
}

// With a mark in place of an IPv6 address: brackets are allowed nowhere else. At most one `@` in the authority, and one
// `#`.
const ipLiteral = /^([^:]*:\/\/(?:[^/?#@]*@)?)\[[\da-f:.]+\]/i
const uriPattern = /^[a-z][a-z\d+.-]*:(?!\/\/[^/?#]*@[^/?#]*@|.*#.*#)(?:[\w.~!$&'()*+,;=:@/?#-]|%[\da-f]{2})*$/i

/**
 * Returns true if a text is an absolute URI (RFC 3986) that URL parsers accept too, such as
 * `https://example.com/loans`.
 */
export function isUri(text: string): boolean {
  return uriPattern.test(text.replace(ipLiteral, '$1_')) && URL.canParse(text)
}

const ipv4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** Returns true if a text is an IPv4 address in dotted decimal notation. */
export function isIpv4(text: string): boolean {
  return ipv4Pattern.test(text)
}
