import {
  canonicalUuid,
  type FieldDescription,
  type Interpretation,
  leadFields,
  proseInterpretation,
  requiredConsents,
} from '../index.ts'
import { closest, namedWithin, textDistance } from './closest-name.ts'
import {
  lettersOf,
  nearestPlaces,
  type Place,
  type PlacesByLetters,
  placesByLetters,
  requiredNames,
  valueHint,
} from './value-hint.ts'

/** The trace checks that may have near misses. */
export type HintedCheck = 'shape' | 'publisher' | 'product' | 'product_active' | 'consents'

/** A value in a submission that resembles the one that was probably meant. */
export interface NearMiss {
  /** The trace check that it belongs to. */
  readonly check: HintedCheck
  /** The dotted path in the submission as sent. */
  readonly field: string
  /** A full sentence. Repeats field names, never a customer's data. */
  readonly message: string
}

/** A trace step that may carry a hint. */
export interface HintedStep {
  readonly check: string
  readonly hint?: string
}

/** Returns a trace with each near miss appended to the hint of its check. */
export function withNearMisses<Step extends HintedStep>(trace: readonly Step[], misses: readonly NearMiss[]): Step[] {
  return trace.map(step => {
    const messages = misses.filter(({ check }) => check === step.check).map(({ message }) => message)
    if (messages.length === 0) return step
    return { ...step, hint: [...(step.hint === undefined ? [] : [asSentence(step.hint)]), ...messages].join(' ') }
  })
}

function asSentence(hint: string): string {
  return /[.?!]$/.test(hint) ? hint : `${hint}.`
}

/** The maximum number of near misses per submission: a reader can't take in more. */
export const maxNearMisses = 20

/**
 * The maximum number of values that the search visits in a body, known and unknown together. A full lead has about
 * sixty.
 */
const maxValues = 2_000

/** The options of the search. */
export interface NearMissOptions {
  /** Decides on fields that are required under one interpretation only. Default: `prose`. */
  readonly interpretation?: Interpretation | undefined
  /** Without an account, ids are not checked. */
  readonly account?: AccountIds | undefined
}

/**
 * Finds the near misses of a parsed submission. A valid body may have near misses too, because the service ignores
 * unknown fields, including misspelled optional ones.
 */
export function findNearMisses(body: unknown, options: NearMissOptions = {}): NearMiss[] {
  const found: NearMiss[] = []
  for (const miss of allMisses(body, options)) if (found.push(miss) === maxNearMisses) break
  return found
}

/** Ids and consents come first: they are few, and many unknown fields must not crowd them out. */
function* allMisses(body: unknown, options: NearMissOptions): Generator<NearMiss> {
  const { account, interpretation = proseInterpretation } = options
  const { publisher_id, product_id, consents } = fieldsOf(body)
  const { entries } = fieldsOf(consents)
  if (account && typeof publisher_id === 'string') yield* publisherMisses(canonicalUuid(publisher_id), account)
  if (account && typeof product_id === 'string') yield* productMisses(canonicalUuid(product_id), account)
  if (Array.isArray(entries)) yield* consentMisses(entries)
  yield* shapeMisses(body, interpretation)
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** The parts of an account that a submission refers to. */
export interface AccountIds {
  readonly publisher: { readonly publisher_id: string }
  readonly products: readonly { readonly product_id: string; readonly name: string; readonly active: boolean }[]
  readonly advertisers: readonly { readonly advertiser_id: string; readonly name: string }[]
}

/** An id in the account, and its owner. */
interface Named {
  readonly id: string
  readonly owner: string
}

/** Yields the near misses of `publisher_id` if it is not the account's. */
function* publisherMisses(sent: string, account: AccountIds): Generator<NearMiss> {
  const { publisher_id } = account.publisher
  if (sent === publisher_id) return
  const miss = (rest: string): NearMiss => ({
    check: 'publisher',
    field: 'publisher_id',
    message: `\`publisher_id\` ${rest}`,
  })
  const other = idOf(sent, [...productIds(account), ...advertiserIds(account)])
  if (other) yield miss(`is the id of ${other.owner}: send ${publisher_id}, the publisher's id.`)
  else yield* closeTo(sent, publisherIds(account)).map(miss)
}

/** Yields the near misses of `product_id` if it is unknown or inactive. */
function* productMisses(sent: string, account: AccountIds): Generator<NearMiss> {
  const product = account.products.find(({ product_id }) => product_id === sent)
  if (product?.active) return
  const miss = (rest: string): NearMiss => ({
    check: product ? 'product_active' : 'product',
    field: 'product_id',
    message: `\`product_id\` ${rest}`,
  })
  if (product) {
    yield miss(`is an inactive product: ${choice(account, true)}`)
    return
  }
  const other = idOf(sent, [...publisherIds(account), ...advertiserIds(account)])
  if (other) yield miss(`is the id of ${other.owner}.`)
  else yield* closeTo(sent, productIds(account)).map(miss)
  yield miss(`is not one of the account's products: ${choice(account, false)}`)
}

const publisherIds = ({ publisher }: AccountIds): Named[] => [{ id: publisher.publisher_id, owner: 'the publisher' }]
const productIds = ({ products }: AccountIds): Named[] =>
  products.map(({ product_id, name }) => ({ id: product_id, owner: `the product ${name}` }))
const advertiserIds = ({ advertisers }: AccountIds): Named[] =>
  advertisers.map(({ advertiser_id, name }) => ({ id: advertiser_id, owner: `the advertiser ${name}` }))

const idOf = (sent: string, ids: readonly Named[]) => ids.find(({ id }) => id === sent)

/** The maximum number of mistyped characters in a UUID. More make it a different id. */
const maxMistyped = 2

/** Returns the id that was probably meant: the closest one, or the first of several that are equally close. */
function closeTo(sent: string, ids: readonly Named[]): string[] {
  const letters = sent.trim().toLowerCase()
  if (letters.length > 40) return []
  const near = ids
    .map(named => ({ ...named, distance: textDistance(letters, named.id) }))
    .filter(({ distance }) => distance <= maxMistyped)
    .sort((a, b) => a.distance - b.distance)
  const [nearest] = near
  if (!nearest) return []
  const apart = ['spaces only', 'one character', 'two characters'][nearest.distance]
  return [`differs in ${apart} from the id of ${nearest.owner}, ${nearest.id}.`]
}

const maxProductsNamed = 5

function choice({ products }: AccountIds, active: boolean): string {
  const wanted = products.filter(product => product.active || !active)
  if (wanted.length === 0) return active ? 'the account has no active product.' : 'the account has no products.'
  const named = wanted
    .slice(0, maxProductsNamed)
    .map(product => `${product.name} (${product.product_id}${product.active ? '' : ', inactive'})`)
  const more = wanted.length - named.length
  return `send one of ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')}.`
}

/** The maximum number of entries that the search visits. A lead has a handful. */
const maxEntries = 100

/** Yields the near misses of each required consent that `consents.entries` does not show as accepted. */ // Spec 2.9
function* consentMisses(entries: readonly unknown[]): Generator<NearMiss> {
  const sent = entries.slice(0, maxEntries).map((entry, index) => ({ ...readEntry(entry), index }))
  for (const type of requiredConsents) {
    const ofType = sent.filter(entry => entry.type === type)
    if (ofType.length > 0 && ofType.every(({ accepted }) => accepted === true)) continue
    const [refused] = ofType.filter(({ accepted }) => accepted === false)
    if (refused)
      yield consentMiss(refused.index, 'accepted', `is false: the customer must accept the consent \`${type}\`.`)
    if (ofType.length > 0) continue
    const alike = sent.find(entry => meantType(entry.type) === type)
    if (alike) yield consentMiss(alike.index, 'type', `resembles a required consent, did you mean \`${type}\`?`)
  }
}

function meantType(type: string): string | undefined {
  return closest(type, requiredConsents) ?? namedWithin(type, requiredConsents)
}

function readEntry(entry: unknown): { type: string; accepted: unknown } {
  const { type, accepted } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>
  return { type: typeof type === 'string' ? type : '', accepted }
}

function consentMiss(index: number, name: string, rest: string): NearMiss {
  const field = `consents.entries.${index}.${name}`
  return { check: 'consents', field, message: `\`${field}\` ${rest}` }
}

/** A value in a submission: the path as sent, and the place of the intended field. */
interface Sent {
  readonly value: unknown
  readonly field: FieldDescription
  readonly path: readonly string[]
  readonly place: Place
}

/**
 * Yields the near misses in a body's shape, in order. Descends only into known fields, and into misspelled ones as if
 * spelled correctly.
 */
function* shapeMisses(body: unknown, interpretation: Interpretation): Generator<NearMiss> {
  /** The number of values that the search may still visit, so that it stops early in a huge body. */
  let budget = maxValues
  let places: PlacesByLetters | undefined
  yield* visit({ value: body, field: leadFields, path: [], place: [] })

  function* visit(sent: Sent): Generator<NearMiss> {
    if (budget-- <= 0) return
    const { value, field, path, place } = sent
    const hint = valueHint(value, field, interpretation)
    if (hint !== undefined) yield shapeMiss(path, hint)
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value) !== (field.type === 'list')) return
    for (const key in value) {
      if (budget <= 0) return
      const child = { value: Reflect.get(value, key), path: [...path, key] }
      const known = field.items ?? fieldNamed(field, key)
      if (known) yield* visit({ ...child, field: known, place: [...place, field.items ? '0' : key] })
      else yield* unknownField(child, sent, key)
    }
  }

  function* unknownField(child: Pick<Sent, 'value' | 'path'>, parent: Sent, key: string): Generator<NearMiss> {
    budget--
    if (!nameLike.test(key)) return
    const { field, place, value } = parent
    // A field that is already present was not meant by another name.
    const missing = Object.keys(field.fields ?? {}).filter(name => !Object.hasOwn(value as object, name))
    const meant = closest(key, missing)
    const meantField = meant === undefined ? undefined : fieldNamed(field, meant)
    if (meant !== undefined && meantField) {
      yield shapeMiss(child.path, `is unknown, did you mean \`${meant}\`?`)
      yield* visit({ ...child, field: meantField, place: [...place, meant] })
      return
    }
    const elsewhere = misplaced(key, place, child.value)
    if (elsewhere.length > 0) yield shapeMiss(child.path, `is unknown here, did you mean ${elsewhere.join(' or ')}?`)
  }

  /** Returns the right places for a misplaced name. Its spelling must match: more would be a guess. */
  function misplaced(key: string, from: Place, value: unknown): string[] {
    places ??= placesByLetters(leadFields)
    return nearestPlaces(from, places.get(lettersOf(key)) ?? [])
      .slice(0, 3)
      .map(place => `\`${[...place, ...neededText(place, value)].join('.')}\``)
  }

  function neededText(place: Place, value: unknown): string[] {
    const field = place.reduce((at, name) => at.items ?? fieldNamed(at, name) ?? at, leadFields)
    const required = requiredNames(field, interpretation)
    return typeof value === 'string' && required.length === 1 ? required : []
  }
}

function fieldNamed({ fields = {} }: FieldDescription, name: string): FieldDescription | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** The names that a hint may repeat. Excludes anything that could be a value or move a terminal's cursor. */
const nameLike = /^[A-Za-z][\w -]{0,63}$/

function shapeMiss(path: readonly string[], rest: string): NearMiss {
  const field = path.join('.') || 'body'
  return { check: 'shape', field, message: `\`${field}\` ${rest}` }
}
