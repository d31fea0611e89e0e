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
import type { KeptAnswer, KeptBody } from '../storage/records.ts'
import { createHiding, mask } from './hide-values.ts'

// What is kept of the content of calls and of receivers' answers. Everything is masked here, before it is stored: a value
// stays only where it cannot name anybody, and a name that the contract does not know goes too.

/** The largest body of a call that is kept, characters of JSON. */
const maxBodyCharacters = 16_384

/** The number of values of a body that are looked at: more of them would not fit. */
const maxBodyValues = 4_000

type Headers = Readonly<Record<string, string | undefined>>

/** The request headers that are kept, each with the values that are harmless; those without are always masked. */
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

/** Returns the headers of a call that are kept. */
export function keptRequestHeaders(headers: Headers): Record<string, string> {
  return headersWith(headers, (name, value) => requestHeaders[name]?.(value) === true)
}

/** Returns the headers of a call as they were sent, except what the service does not read and other programs put there. */
export function sentRequestHeaders(headers: Headers): Record<string, string> {
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

/** Returns the query of a pixel: its own parameters, and of their values only an event that the specification knows. */
export function keptQuery(query: URLSearchParams): string {
  return pixelParameters
    .filter(name => query.has(name))
    .map(name => `${name}=${name === 'event' ? keptEvent(query.get(name)) : mask}`)
    .join('&')
}

function keptEvent(value: unknown): string {
  return (knownStatuses as readonly unknown[]).includes(value) ? String(value) : mask
}

/** The fields of a status update that are kept. */
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
 * Returns the body of a call as it is kept; undefined if the operation takes none. `names` are the paths of unknown fields
 * whose names are kept all the same, because they resemble known ones. Of a body that is not JSON nothing is kept.
 */
export function keptRequestBody(
  operation: OperationName,
  input: unknown,
  names: ReadonlySet<string>,
): KeptBody | undefined {
  const fields = bodyFields[operation]
  if (!fields) return undefined
  if (input === undefined) return { state: 'not_json', text: '' }
  return keptText(
    JSON.stringify(maskValue(input, { depth: 0, name: '', field: fields, path: '' }, { names, left: maxBodyValues })),
  )
}

/** Returns the body of a response as it is kept. Responses repeat nothing of a request but the name of an event. */
export function keptResponseBody(body: object, issues: readonly object[] | undefined): KeptBody {
  const kept = { ...body } as Record<string, unknown>
  if (typeof kept.status === 'string' && !responseWords.has(kept.status)) kept.status = mask
  if (typeof kept.event === 'string') kept.event = keptEvent(kept.event)
  if (kept.details !== undefined) kept.details = issues
  return keptText(JSON.stringify(kept))
}

/** The words that the `status` of a response may be. */
const responseWords: ReadonlySet<string> = new Set([...leadStatuses, ...knownStatuses, 'received', 'ignored'])

/** Returns a text as it is kept: its first part, if it is long. */
export function keptText(text: string): KeptBody {
  return text.length <= maxBodyCharacters
    ? { state: 'whole', text }
    : { state: 'truncated', text: text.slice(0, maxBodyCharacters) }
}

/** The shared state of a walk through a body. */
interface Masking {
  /** The paths of unknown fields whose names are kept. */
  readonly names: ReadonlySet<string>
  /** The number of values that may still be looked at. */
  left: number
}

/** The deepest value that is looked at: the contract has none as deep, and each level takes of the stack. */
const deepest = 20

/** A place in a body: its depth, its name, its field if the contract has it, and its path if names are looked up by it. */
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

/** Returns true for a value that the shape makes one of few, an amount, a time of a consent, or an id that was issued. */
function isHarmless(value: unknown, field: FieldDescription | undefined, name: string): boolean {
  if (!field) return false
  if (field.type === 'integer') return typeof value === 'number' && Math.abs(value) < 1_000_000
  if (typeof value !== 'string') return false
  if (field.type === 'enum') return field.values?.includes(value) === true
  if (field.format) return keptFormats.has(field.format.name) && field.format.fits(value)
  return field.type === 'text' && harmlessTexts.get(name)?.test(value) === true
}

const keptFormats: ReadonlySet<string> = new Set(['uuid', 'date-time'])

/** The texts that are kept, by the names of their fields: codes, versions, and the consents that the specification names. */
const harmlessTexts: ReadonlyMap<string, RegExp> = new Map([
  ['country', /^[A-Z]{2}$/],
  ['currency', /^[A-Z]{3}$/],
  ['type', new RegExp(`^(${[...requiredConsents, 'marketing'].join('|')})$`)],
  ['version', /^v?(\d{1,3}(\.\d{1,3}){0,2}|\d{4}-\d{2})$/],
])

/** The bounds of the headers of an answer. */
const maxAnswerHeaders = 30
const maxHeaderCharacters = 200

/** Headers whose values identify somebody, or open something. */
const secretHeader = /cookie|auth|token|secret|key|signature|session|csrf/i

/**
 * Returns the answer of a callback's receiver as it is kept: without `secrets`, and without control characters. All of it is
 * masked before it is cut, so that no half of a secret stays.
 */
export function keptAnswer({ headers, text, truncated }: ReceivedAnswer, secrets: readonly string[]): KeptAnswer {
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
  // Ends behind a whole character.
  const { read } = utf8.encodeInto(whole, new Uint8Array(maxAnswerBytes))
  return {
    headers: Object.fromEntries(kept),
    text: whole.slice(0, read),
    ...((truncated === true || read < whole.length) && { truncated: true as const }),
  }
}

const utf8 = new TextEncoder()

/** Removes control characters, and those that turn the direction of a text. */
const printable = (text: string) => text.replace(/(?![\t\n])\p{Cc}|\p{Bidi_C}/gu, '')

/** An email address in any text. */
const email = /[^\s"'<>()@:;,=]+(?:@|%40|&#64;|\\u0040)[\p{L}\d.-]*[\p{L}\d]/gu

/** Returns the values of a submission that its journal entry masks, for other texts that may repeat them. */
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
