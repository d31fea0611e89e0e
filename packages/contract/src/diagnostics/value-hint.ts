import {
  type FieldDescription,
  type Interpretation,
  isCalendarDate,
  isDateTime,
  isUri,
  isUuid,
  type TextFormat,
} from '../index.ts'
import { closest, namedWithin } from './closest-name.ts'

/** Returns the names of an object's fields that are required under an interpretation. */
export function requiredNames({ fields = {} }: FieldDescription, interpretation: Interpretation): string[] {
  return Object.keys(fields).filter(name => isRequired(fields[name], interpretation))
}

function isRequired({ optional }: FieldDescription = { type: 'object' }, interpretation: Interpretation): boolean {
  return optional === undefined || (optional !== true && interpretation[optional] === 'required')
}

/** The path of a field as names; `0` means any item of a list. */
export type Place = readonly string[]

/** Every place with a field of a given name, by the name's letters. */
export type PlacesByLetters = ReadonlyMap<string, readonly Place[]>

/** Returns a name's letters in lower case, without word separators. */
export function lettersOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
}

/** Returns all fields of a submission, at any depth, by the letters of their names. */
export function placesByLetters(root: FieldDescription): PlacesByLetters {
  const places = new Map<string, Place[]>()
  const visit = (field: FieldDescription, place: Place) => {
    for (const [name, child] of Object.entries(field.fields ?? {})) {
      const letters = lettersOf(name)
      places.set(letters, [...(places.get(letters) ?? []), [...place, name]])
      visit(child, [...place, name])
    }
    if (field.items) visit(field.items, [...place, '0'])
  }
  visit(root, [])
  return places
}

/** Returns the places closest to another one: the fewest steps up to the common parent and down again. */
export function nearestPlaces(from: Place, places: readonly Place[]): readonly Place[] {
  const steps = places.map(place => {
    const apart = place.findIndex((name, depth) => name !== from[depth])
    return from.length + place.length - 2 * (apart < 0 ? place.length : apart)
  })
  const least = Math.min(...steps)
  return places.filter((_, index) => steps[index] === least)
}

/**
 * Returns what to write instead of a value that a field does not accept, as the rest of a sentence after the field's
 * name (`… is a number: send 5000 without quotes.`); undefined if the value is valid, or nothing obvious was meant.
 * Repeats only short whole numbers, because every other value may be personal data.
 */
export function valueHint(value: unknown, field: FieldDescription, interpretation: Interpretation): string | undefined {
  if (value === null)
    return isRequired(field, interpretation) || field.nullable ? undefined : "can't be null: leave it out."
  switch (field.type) {
    case 'object':
      return objectHint(value, field, interpretation)
    case 'list':
      return isObject(value) ? 'is a list: put brackets around it, even for a single item.' : undefined
    case 'integer':
      return integerHint(value)
    case 'boolean':
      return booleanHint(value)
    case 'enum':
    case 'text':
      return textHint(value, field)
  }
}

function objectHint(value: unknown, field: FieldDescription, interpretation: Interpretation): string | undefined {
  if (isObject(value)) return undefined
  if (Array.isArray(value)) return value.length === 1 ? 'is an object, not a list: remove the brackets.' : undefined
  const { fields = {} } = field
  const [only = '', ...more] = requiredNames(field, interpretation)
  return more.length === 0 && fields[only]?.type === 'text'
    ? `is an object: send the value as its field \`${only}\`.`
    : `is an object with the fields ${Object.keys(fields).join(', ')}.`
}

/** Digits, in groups of at most three, optionally followed by a currency. */
const numberInWords = /^\s*(-?\d+|-?\d{1,3}(?:[., ]\d{3})+)(?:[.,]0{1,2})?\s*(?:€|eur|euros?)?\s*$/i

/** A number with more digits may be a phone or document number in the wrong field. */
const maxDigitsRepeated = 6

function integerHint(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isInteger(value)) {
    const [below, above] = [Math.floor(value), Math.ceil(value)]
    return isRepeatable(below) && isRepeatable(above)
      ? `is a whole number: send ${below} or ${above}.`
      : 'is a whole number: send it without decimals.'
  }
  const digits = typeof value === 'string' && value.length < 64 ? numberInWords.exec(value)?.[1] : undefined
  if (digits === undefined) return undefined
  const meant = Number(digits.replaceAll(/[., ]/g, ''))
  return isRepeatable(meant)
    ? `is a number: send ${meant} without quotes.`
    : 'is a number: send only the digits, without quotes.'
}

const isRepeatable = (value: number) => Math.abs(value) < 10 ** maxDigitsRepeated

const yes = ['true', 'yes', 'y', '1', 'on']
const no = ['false', 'no', 'n', '0', 'off']

function booleanHint(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const word = String(value).trim().toLowerCase()
  const meant = yes.includes(word) ? 'true' : no.includes(word) ? 'false' : undefined
  return meant && `is true or false: send ${meant} without quotes.`
}

function textHint(value: unknown, { values, format }: FieldDescription): string | undefined {
  if (typeof value !== 'string') {
    if (typeof value !== 'number' || values) return undefined
    return format?.name === 'date-time'
      ? 'is a string, not a timestamp: write a date-time such as 2026-01-31T09:30:00Z.'
      : 'is a string: send it in quotes.'
  }
  if (!values) return format ? formatHint(value, format) : undefined
  if (values.includes(value)) return undefined
  const meant = closest(value, values) ?? namedWithin(value, values)
  return meant && `doesn't accept this value, did you mean \`${meant}\`?`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A common mistake in a format: how to detect it, and what to write instead, as the rest of a sentence. */
interface FormatSlip {
  readonly isMade: RegExp | ((text: string, fits: TextFormat['fits']) => boolean)
  readonly instead: string
}

const withoutSpaces = (text: string) => text.replaceAll(/\s/g, '')

/** The most likely mistake first. */
const uuidSlips: readonly FormatSlip[] = [
  { isMade: text => isUuid(text.trim()), instead: 'has spaces around it: remove them.' },
  {
    isMade: text => isUuid(text.replace(/^(urn:uuid:|\{)/i, '').replace(/\}$/, '')),
    instead: 'is a bare UUID: remove everything around it.',
  },
  { isMade: /^[0-9a-f]{32}$/i, instead: 'is written with hyphens: 8, 4, 4, 4 and 12 digits.' },
]

/** The common mistakes in each format. The examples are not customer data. */
const slips: Readonly<Record<string, readonly FormatSlip[]>> = {
  date: [
    {
      isMade: /^\s*\d{1,2}([/.-])\d{1,2}\1\d{4}\s*$/,
      instead: 'is written with the year first: 31/01/1990 is 1990-01-31.',
    },
    {
      isMade: /^(?!\d{4}-\d\d-\d\d$)\s*\d{4}([/.-]?)\d{1,2}\1\d{1,2}\s*$/,
      instead: 'is written with hyphens and two digits each: 1990/1/31 is 1990-01-31.',
    },
    {
      isMade: /^\s*\d{4}-\d{2}-\d{2}[Tt ]\d{2}:/,
      instead: 'is a date without a time: 1990-01-31T00:00:00Z is 1990-01-31.',
    },
  ],
  'date-time': [
    {
      isMade: text => isDateTime(`${text}Z`),
      instead: 'has no time zone: add Z for UTC or an offset, as in 2026-01-31T09:30:00Z.',
    },
    {
      isMade: text => [text, `${text}Z`].some(each => isDateTime(each.trim().replace(' ', 'T'))),
      instead: 'has a space: write T between date and time, and a time zone, as in 2026-01-31T09:30:00Z.',
    },
    {
      isMade: /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}([Zz]|[+-]\d{2}:\d{2})?$/,
      instead: 'has no seconds: add them, and a time zone, as in 2026-01-31T09:30:00Z.',
    },
    { isMade: isCalendarDate, instead: 'is only a date: add a time and a time zone, as in 2026-01-31T09:30:00Z.' },
    { isMade: /^\d{10}(\d{3})?$/, instead: 'is a timestamp: write a date-time such as 2026-01-31T09:30:00Z.' },
  ],
  email: [
    { isMade: (text, fits) => fits(withoutSpaces(text)), instead: 'has spaces: remove them.' },
    {
      isMade: (text, fits) => fits(text.replace(/^mailto:/i, '')),
      instead: 'begins with mailto: send only the address.',
    },
    {
      isMade: (text, fits) => fits(/<([^<>]+)>\s*$/.exec(text)?.[1] ?? ''),
      instead: 'has a name: send only the address.',
    },
    { isMade: (text, fits) => fits(text.replaceAll(',', '.')), instead: 'has a comma: use a period.' },
  ],
  uri: [
    {
      isMade: text => /^[\w-]+(\.[\w-]+)+/.test(text) && isUri(`https://${text}`),
      instead: 'is an absolute URL: put https:// in front of it.',
    },
    { isMade: text => isUri(withoutSpaces(text)), instead: 'has spaces: remove them, or write %20.' },
    {
      isMade: text => URL.canParse(text) && isUri(new URL(text).href),
      instead: 'has characters that must be percent-encoded: é is %C3%A9.',
    },
  ],
  ipv4: [
    { isMade: (text, fits) => fits(text.trim()), instead: 'has spaces: remove them.' },
    {
      isMade: (text, fits) => fits(text.replace(/:\d+$/, '')),
      instead: 'is an address without a port: remove the port.',
    },
    {
      isMade: /^\s*\[?[0-9a-f]{0,4}:[0-9a-f:.]*\]?\s*$/i,
      instead: 'is an IPv4 address such as 203.0.113.7: IPv6 is not accepted.',
    },
  ],
  uuid: uuidSlips,
}

/**
 * The maximum length of a text that gets a hint, in characters: no valid value is longer, and the patterns stay fast.
 */
const maxValueLength = 320

/** Returns what to write instead of a text with a common mistake in a format; undefined for any other text. */
export function formatHint(text: string, { name, fits }: TextFormat): string | undefined {
  if (text.length > maxValueLength || fits(text)) return undefined
  return hintOf(text, slips[name] ?? [], fits)
}

/** Returns what to write instead of a text that is nearly a UUID; undefined for any other text. */
export function uuidHint(text: string): string | undefined {
  return text.length > maxValueLength ? undefined : hintOf(text, uuidSlips, isUuid)
}

function hintOf(text: string, known: readonly FormatSlip[], fits: TextFormat['fits']): string | undefined {
  return known.find(({ isMade }) => (isMade instanceof RegExp ? isMade.test(text) : isMade(text, fits)))?.instead
}
