const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns true if a text has the form of a UUID, of any version and in either letter case. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/** Returns true if two UUIDs are the same: letter case does not matter (RFC 9562). */
export function isSameUuid(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase()
}

const datePattern = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

/** Returns true if a text is a day that exists, as `YYYY-MM-DD`. `2023-02-30` does not. */
export function isCalendarDate(text: string): boolean {
  const day = Number(text.slice(8))
  return datePattern.test(text) && (day < 29 || day <= daysInMonth(Number(text.slice(0, 4)), Number(text.slice(5, 7))))
}

const timePattern = /^[Tt](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Returns true if a text is an RFC 3339 date-time: a day that exists, seconds, and a zone (`Z` or an offset). */
export function isDateTime(text: string): boolean {
  return isCalendarDate(text.slice(0, 10)) && timePattern.test(text.slice(10))
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

const emailPattern =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z](?:[a-z\d-]*[a-z\d])$/i

/** Returns true for an e-mail address: a name of RFC 5321 without quotes, and a host with a dot. */
export function isEmail(text: string): boolean {
  return emailPattern.test(text)
}

const uriPattern = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i

/** Returns true if a text is an absolute URI (RFC 3986), such as `https://example.com/loans`. */
export function isUri(text: string): boolean {
  return uriPattern.test(text) && URL.canParse(text)
}

const ipv4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** Returns true if a text is an IPv4 address in dotted decimals. */
export function isIpv4(text: string): boolean {
  return ipv4Pattern.test(text)
}
