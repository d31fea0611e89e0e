import * as z from 'zod/mini'
import { durationMs, durationPattern } from './duration.ts'
import { isCalendarDate, isDateTime, isEmail, isIpv4, isUri, isUuid } from './formats.ts'

/** A non-empty string. */
export const requiredString = z.string().check(z.minLength(1))

/** A UUID of any version, in either letter case. Its value is in lower case. */
export const uuid = z.stringFormat('uuid', isUuid).check(z.toLowerCase())

/** An existing date, as `YYYY-MM-DD`. */
export const calendarDate = z.stringFormat('date', isCalendarDate)

/** An RFC 3339 date-time with a time zone. */
export const dateTime = z.stringFormat('date-time', isDateTime)

/** An absolute URI. */
export const uri = z.stringFormat('uri', isUri)

/** An e-mail address, without spaces around it. */
export const emailAddress = z.stringFormat('email', isEmail)

/** An IPv4 address in dotted decimal notation. */
export const ipv4 = z.stringFormat('ipv4', isIpv4)

/** Returns the shape of a duration, limited to what timers and dates can represent. */
export function durationUpTo(max: string) {
  const error = `must be an ISO 8601 duration without months or years, such as PT60S, at most ${max}`
  return z.string().check(
    z.regex(durationPattern, { error, abort: true }),
    z.refine(text => durationMs(text) <= durationMs(max), { error }),
  )
}

/** An ISO 8601 duration of up to ten years. */
export const duration = durationUpTo('P3650D')
