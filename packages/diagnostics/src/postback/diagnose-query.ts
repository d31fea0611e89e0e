import {
  acceptedPixelEvents,
  canonicalEvent,
  convertedStatus,
  keyHeader,
  maxRefLength,
} from '@lead-distribution/contract'
import { closest, namedWithin } from '../closest-name.ts'
import { findingOf, isPlaceHolder, type PostbackFinding } from './finding.ts'

const pixelParameters = ['token', 'event', 'ref'] as const

/** Whether the URL holds an API key, which belongs only in a header. */ // Spec 5
export function diagnoseKey(query: URLSearchParams): PostbackFinding {
  const found = findingOf('key')
  if (query.has(keyHeader))
    return found(
      'wrong',
      `The URL holds an ${keyHeader}: keys are refused in URLs, and the pixel needs none. Take it away, and have the key rotated.`,
    )
  const alike = [...query.keys()].some(name => closest(name, [keyHeader]) !== undefined)
  return alike
    ? found('warning', 'The URL seems to hold an API key: take it away, the pixel needs none.')
    : found('ok', 'The URL holds no API key.')
}

/** Whether the URL names an event of the pixel. With `appended` it may name none: the event is added when the URL is fired. */ // Spec 4.3, 6.1
export function diagnoseEvent(query: URLSearchParams, appended = false): PostbackFinding {
  const found = findingOf('event')
  const event = query.getAll('event').at(-1)
  const list = acceptedPixelEvents.join(', ')
  if (event === undefined) {
    const elsewhere = mistakenName(query, 'event')
    if (appended && !elsewhere) return found('ok', 'The URL names no event: it is appended when the URL is fired.')
    return found(appended ? 'warning' : 'wrong', `The parameter \`event\` is missing${elsewhere}: add one of ${list}.`)
  }
  const known = acceptedPixelEvents.find(name => name === event)
  if (known !== undefined) {
    const same = canonicalEvent(known)
    return found('ok', same === known ? `The event is ${known}.` : `The event is ${known}, another name of ${same}.`)
  }
  if (isPlaceHolder(event)) return found('wrong', 'The event is a place-holder that the platform did not fill in.')
  if (event === convertedStatus)
    return found(
      'wrong',
      `The pixel does not take ${convertedStatus}: report it by POST /lead/{lead_id}/status, or send one of ${list}.`,
    )
  const meant = closest(event, acceptedPixelEvents) ?? namedWithin(event, acceptedPixelEvents)
  return found(
    'wrong',
    meant === undefined ? `The event is none of ${list}.` : `The event is unknown, did you mean \`${meant}\`?`,
  )
}

/** The finding of the advertiser's own reference; undefined where there is none. */
export function diagnoseRef(query: URLSearchParams): PostbackFinding | undefined {
  const ref = query.getAll('ref').at(-1)
  if (ref === undefined) return undefined
  const found = findingOf('ref')
  if (ref.length > maxRefLength)
    return found('wrong', `\`ref\` must be at most ${maxRefLength} characters long (got ${ref.length}).`)
  if (isPlaceHolder(ref))
    return found('warning', '`ref` is a place-holder that the platform did not fill in: it is recorded unchanged.')
  return found('ok', `\`ref\` is at most ${maxRefLength} characters long.`)
}

/** The finding of all parameters: repeats, and those that the pixel ignores. */
export function diagnoseParameters(query: URLSearchParams): PostbackFinding {
  const found = findingOf('parameters')
  const names = [...new Set(query.keys())]
  const repeated = names.filter(name => query.getAll(name).length > 1)
  if (repeated.length > 0)
    return found('wrong', `Each parameter may appear once: ${listed(repeated)} given more than once.`)
  if (names.some(name => name.startsWith('amp;')))
    return found('warning', 'The URL was copied from HTML: write & instead of &amp;.')
  const ignored = names.filter(name => !pixelParameters.some(known => known === name) && name !== keyHeader)
  if (ignored.length === 0) return found('ok', 'Each parameter appears once, and none is ignored.')
  return found(
    'warning',
    `The pixel ignores all parameters but ${pixelParameters.join(', ')}: it ignores ${ignored.length} here.`,
  )
}

/** A part of a sentence where the query has the parameter under a similar name; else empty. */
export function mistakenName(query: URLSearchParams, name: (typeof pixelParameters)[number]): string {
  const alike = [...query.keys()].some(key => key !== name && closest(key.replace(/^amp;/, ''), [name]) !== undefined)
  return alike ? `, but one has a similar name (write it in exactly these letters)` : ''
}

function listed(repeated: readonly string[]): string {
  const known = repeated.filter(name => pixelParameters.some(parameter => parameter === name))
  const list = known.map(name => `\`${name}\``).join(', ')
  if (known.length === 0) return 'one is'
  return `${list} ${known.length === 1 ? 'is' : 'are'}`
}
