import {
  acceptedPixelEvents,
  canonicalEvent,
  convertedStatus,
  keyHeader,
  maxRefLength,
} from '@lead-distribution/contract'
import { closest, namedWithin } from '../explain/resemblance.ts'
import type { Finding } from './finding.ts'
import { isMacro } from './macro.ts'

const pixelParameters = ['token', 'event', 'ref'] as const

/** Whether an API key stands in the URL, where none belongs (Spec 5). */
export function examineKey(query: URLSearchParams): Finding {
  if (query.has(keyHeader))
    return {
      check: 'key',
      verdict: 'wrong',
      message: `The URL holds an ${keyHeader}: keys are refused in URLs, and the pixel needs none. Take it away, and have the key rotated.`,
    }
  const alike = [...query.keys()].some(name => closest(name, [keyHeader]) !== undefined)
  return alike
    ? {
        check: 'key',
        verdict: 'warning',
        message: 'The URL seems to hold an API key: take it away, the pixel needs none.',
      }
    : { check: 'key', verdict: 'ok', message: 'No API key stands in the URL.' }
}

/** Whether the URL names an event of the pixel (Spec 4.3, 6.1). */
export function examineEvent(query: URLSearchParams): Finding {
  const found = (verdict: Finding['verdict'], message: string): Finding => ({ check: 'event', verdict, message })
  const event = query.getAll('event').at(-1)
  const list = acceptedPixelEvents.join(', ')
  if (event === undefined)
    return found('wrong', `The parameter \`event\` is missing${mistakenName(query, 'event')}: add one of ${list}.`)
  const known = acceptedPixelEvents.find(name => name === event)
  if (known !== undefined) {
    const same = canonicalEvent(known)
    return found('ok', same === known ? `The event is ${known}.` : `The event is ${known}, another name of ${same}.`)
  }
  if (isMacro(event)) return found('wrong', 'The event is a place-holder that the platform did not fill in.')
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

/** What is found of the advertiser's own reference; undefined where there is none. */
export function examineRef(query: URLSearchParams): Finding | undefined {
  const ref = query.getAll('ref').at(-1)
  if (ref === undefined) return undefined
  const found = (verdict: Finding['verdict'], message: string): Finding => ({ check: 'ref', verdict, message })
  if (ref.length > maxRefLength)
    return found('wrong', `\`ref\` has ${ref.length} characters: ${maxRefLength} at the most are taken.`)
  if (isMacro(ref))
    return found('warning', '`ref` is a place-holder that the platform did not fill in: it is recorded as it stands.')
  return found('ok', `\`ref\` is at most ${maxRefLength} characters long.`)
}

/** What is found of the parameters as a whole: repeats, and what the pixel ignores. */
export function examineParameters(query: URLSearchParams): Finding {
  const found = (verdict: Finding['verdict'], message: string): Finding => ({ check: 'parameters', verdict, message })
  const names = [...new Set(query.keys())]
  const repeated = names.filter(name => query.getAll(name).length > 1)
  if (repeated.length > 0) return found('wrong', `Each parameter stands once: ${told(repeated)} given more than once.`)
  if (names.some(name => name.startsWith('amp;')))
    return found('warning', 'The URL was copied from HTML: write & instead of &amp;.')
  const ignored = names.filter(name => !pixelParameters.some(known => known === name) && name !== keyHeader)
  if (ignored.length === 0) return found('ok', 'Each parameter stands once, and none is ignored.')
  return found(
    'warning',
    `The pixel ignores all parameters but ${pixelParameters.join(', ')}: it ignores ${ignored.length} here.`,
  )
}

/** Says where a parameter stands under another name, so that it is not looked for in vain. */
export function mistakenName(query: URLSearchParams, name: (typeof pixelParameters)[number]): string {
  const alike = [...query.keys()].some(key => key !== name && closest(key.replace(/^amp;/, ''), [name]) !== undefined)
  return alike ? `, and stands there under a name that resembles it (write it in just these letters)` : ''
}

function told(repeated: readonly string[]): string {
  const known = repeated.filter(name => pixelParameters.some(parameter => parameter === name))
  const list = known.map(name => `\`${name}\``).join(', ')
  if (known.length === 0) return 'one is'
  return `${list} ${known.length === 1 ? 'is' : 'are'}`
}
