import {
  type FieldDescription,
  isUuid,
  keyHeader,
  knownStatuses,
  leadFields,
  leadStatuses,
  requiredConsents,
} from '@lead-distribution/contract'
import type { OperationName } from '@lead-distribution/contract/shapes'
import { readScenario } from '@lead-distribution/contract/test-leads'
import { scenarioHeader } from '../effects/effects.ts'
import { maxAnswerBytes, type ReceivedAnswer } from '../egress/guarded-egress.ts'
import type { StoredAnswer, StoredBody } from '../storage/records.ts'
import { createHiding, mask } from './hide-values.ts'

// Masks the content of calls and of receivers' responses before they are stored. A value stays only if it cannot identify
// anyone. Field names that the contract does not know are masked too.

/** The maximum length of a stored body, in characters of JSON. */
const maxBodyCharacters = 16_384

/** The maximum number of values of a body to visit: more would not fit. */
const maxBodyValues = 4_000

type Headers = Readonly<Record<string, string | undefined>>

/** The request headers to store, each with its harmless values. A header without any is always masked. */
const requestHeaders: Readonly<Record<string, ((value: string) => boolean) | undefined>> = {
  accept: matches(/^[\w/*+.,;= -]{1,200}$/),
  'content-type': matches(/^[a-z]{1,20}\/[a-z.+-]{1,50}(?:; ?charset=[a-z\d-]{1,20})?$/i),
  'content-encoding': matches(/^[a-z]{1,20}$/i),
  'content-length': matches(/^\d{1,9}$/),
  'user-agent': value => /^[\w/.;:,+() -]{1,200}$/.test(value) && !/\d{7}/.test(value),
  'x-request-id': isUuid,
  traceparent: matches(/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/),
  [scenarioHeader]: value => readScenario(value) !== undefined,
  [keyHeader]: undefined,
  authorization: undefined,
  cookie: undefined,
}

const keptNames = Object.keys(requestHeaders)

function matches(pattern: RegExp) {
  return (value: string) => pattern.test(value)
}

/** Returns a call's headers, with all but harmless values masked. */
export function maskedRequestHeaders(headers: Headers): Record<string, string> {
  return headersWith(headers, (name, value) => requestHeaders[name]?.(value) === true)
}

/** Returns a call's headers unmasked, except credentials that the service doesn't read and that other programs may send. */
export function unmaskedRequestHeaders(headers: Headers): Record<string, string> {
  return headersWith(headers, name => name !== 'authorization' && name !== 'cookie')
}

function headersWith(headers: Headers, isShown: (name: string, value: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of keptNames) {
    const value = headers[name]
    if (value !== undefined) kept[name] = isShown(name, value) ? value : mask
  }
  return kept
}

/** The parameters of the pixel. */
const pixelParameters = ['token', 'event', 'ref'] as const

/** Returns a pixel's query: only known parameters, with all values masked except the events of the specification. */
export function keptQuery(query: URLSearchParams): string {
  return pixelParameters
    .filter(name => query.has(name))
    .map(name => `${name}=${name === 'event' ? maskedEvent(query.get(name)) : mask}`)
    .join('&')
}

function maskedEvent(value: unknown): string {
  return (knownStatuses as readonly unknown[]).includes(value) ? String(value) : mask
}

/** The fields of a status update to store. */
const statusFields: FieldDescription = {
  type: 'object',
  fields: {
    status: { type: 'enum', values: knownStatuses },
    advertiser_id: { type: 'text', format: { name: 'uuid', fits: isUuid } },
    metadata: { type: 'object', fields: { amount: { type: 'integer' }, term_months: { type: 'integer' } } },
  },
}

const bodyFields: Readonly<Record<OperationName, FieldDescription | undefined>> = {
  submitLead: leadFields,
  reportStatus: statusFields,
  reportEvent: undefined,
}

/**
 * Returns the masked body of a call; undefined if the operation takes none. `names` are the paths of unknown fields whose
 * names stay visible because they resemble known ones. Drops a body that is not JSON.
 */
export function maskedRequestBody(
  operation: OperationName,
  input: unknown,
  names: ReadonlySet<string>,
): StoredBody | undefined {
  const fields = bodyFields[operation]
  if (!fields) return undefined
  if (input === undefined) return { state: 'not_json', text: '' }
  return truncatedText(
    JSON.stringify(maskValue(input, { depth: 0, name: '', field: fields, path: '' }, { names, left: maxBodyValues })),
  )
}

/** Returns the masked body of a response. The only part of a request that responses echo is an event name. */
export function maskedResponseBody(body: object, issues: readonly object[] | undefined): StoredBody {
  const kept = { ...body } as Record<string, unknown>
  if (typeof kept.status === 'string' && !responseWords.has(kept.status)) kept.status = mask
  if (typeof kept.event === 'string') kept.event = maskedEvent(kept.event)
  if (kept.details !== undefined) kept.details = issues
  return truncatedText(JSON.stringify(kept))
}

/** The known values of a response's `status`. */
const responseWords: ReadonlySet<string> = new Set([...leadStatuses, ...knownStatuses, 'received', 'ignored'])

/** Returns a text, truncated if it is too long to store. */
export function truncatedText(text: string): StoredBody {
  return text.length <= maxBodyCharacters
    ? { state: 'whole', text }
    : { state: 'truncated', text: text.slice(0, maxBodyCharacters) }
}

/** The shared state of a walk through a body. */
interface Masking {
  /** The paths of unknown fields whose names stay visible. */
  readonly names: ReadonlySet<string>
  /** The number of values left to visit. */
  left: number
}

/** The maximum depth to visit. The contract has no field as deep, and each level uses stack space. */
const deepest = 20

/** A position in a body: its depth, its name, its field if the contract has it, and its path if `names` may contain it. */
interface Place {
  readonly depth: number
  readonly name: string
  readonly field: FieldDescription | undefined
  readonly path: string
}

function maskValue(value: unknown, place: Place, masking: Masking): unknown {
  if (masking.left-- <= 0 || place.depth > deepest) return mask
  if (value === null || typeof value === 'boolean') return value
  if (typeof value !== 'object') return isHarmless(value, place.field, place.name) ? value : mask
  return Array.isArray(value) ? maskItems(value, place, masking) : maskFields(value, place, masking)
}

function maskItems(items: readonly unknown[], { depth, name, field, path }: Place, masking: Masking): unknown[] {
  const kept: unknown[] = []
  for (const item of items) {
    if (masking.left <= 0) break
    const at = masking.names.size === 0 ? path : pathBelow(path, String(kept.length))
    kept.push(maskValue(item, { depth: depth + 1, name, field: field?.items, path: at }, masking))
  }
  return kept
}

function maskFields(value: object, { depth, field, path }: Place, masking: Masking): object {
  const kept: Record<string, unknown> = {}
  for (const name in value) {
    if (masking.left <= 0) break
    const known = field?.fields && Object.hasOwn(field.fields, name) ? field.fields[name] : undefined
    const at = masking.names.size === 0 ? path : pathBelow(path, name)
    const masked = maskValue(Reflect.get(value, name), { depth: depth + 1, name, field: known, path: at }, masking)
    kept[known || masking.names.has(at) ? name : '(unknown field)'] = masked
  }
  return kept
}

const pathBelow = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

/** Returns true if the shape limits the value to an enumeration, an amount, a consent time or an issued id. */
function isHarmless(value: unknown, field: FieldDescription | undefined, name: string): boolean {
  if (!field) return false
  if (field.type === 'integer') return typeof value === 'number' && Math.abs(value) < 1_000_000
  if (typeof value !== 'string') return false
  if (field.type === 'enum') return field.values?.includes(value) === true
  if (field.format) return keptFormats.has(field.format.name) && field.format.fits(value)
  return field.type === 'text' && harmlessTexts.get(name)?.test(value) === true
}

const keptFormats: ReadonlySet<string> = new Set(['uuid', 'date-time'])

/** The texts to store unmasked, by field name: codes, versions, and the consents of the specification. */
const harmlessTexts: ReadonlyMap<string, RegExp> = new Map([
  ['country', /^[A-Z]{2}$/],
  ['currency', /^[A-Z]{3}$/],
  ['type', new RegExp(`^(${[...requiredConsents, 'marketing'].join('|')})$`)],
  ['version', /^v?(\d{1,3}(\.\d{1,3}){0,2}|\d{4}-\d{2})$/],
])

/** The bounds of a response's headers. */
const maxAnswerHeaders = 30
const maxHeaderCharacters = 200

/** Headers with credentials or identifying values. */
const secretHeader = /cookie|auth|token|secret|key|signature|session|csrf/i

/**
 * Returns a receiver's response to store, without `secrets` and control characters. Masks before truncating, so that no
 * part of a secret remains.
 */
export function maskedAnswer({ headers, text, truncated }: ReceivedAnswer, secrets: readonly string[]): StoredAnswer {
  const hideSecrets = createHiding(secrets)
  const hide = (value: string, isCut?: boolean) => hideSecrets(printable(value), isCut).replace(email, mask)
  const kept = Object.entries(headers)
    .filter(([, value]) => value !== undefined)
    .slice(0, maxAnswerHeaders)
    .map(([name, value = '']) => {
      const shown = hide(value).replace(/\?.*/s, `?${mask}`)
      return [hide(name).slice(0, 100), secretHeader.test(name) ? mask : shown.slice(0, maxHeaderCharacters)] as const
    })
  const whole = hide(text, truncated)
  // Truncates at a character boundary.
  const { read } = utf8.encodeInto(whole, new Uint8Array(maxAnswerBytes))
  return {
    headers: Object.fromEntries(kept),
    text: whole.slice(0, read),
    ...((truncated === true || read < whole.length) && { truncated: true as const }),
  }
}

const utf8 = new TextEncoder()

/** Removes control characters and those that change the text direction. */
const printable = (text: string) => text.replace(/(?![\t\n])\p{Cc}|\p{Bidi_C}/gu, '')

/** Matches an e-mail address in any text. */
const email = /[^\s"'<>()@:;,=]+(?:@|%40|&#64;|\\u0040)[\p{L}\d.-]*[\p{L}\d]/gu

/** Returns the personal values of a submission, to mask them in other texts that may echo them. */
export function personalValues(submission: unknown, field: FieldDescription | undefined = leadFields): string[] {
  if (typeof submission !== 'object' || submission === null) return []
  return Object.entries(submission).flatMap(([name, value]) => {
    const known = Array.isArray(submission) ? field?.items : field?.fields?.[name]
    if (typeof value === 'object') return personalValues(value, known)
    const isKept = typeof value === 'boolean' || isHarmless(value, known, name)
    const text = String(value)
    return isKept || text.trim().length < 3 ? [] : [text]
  })
}
