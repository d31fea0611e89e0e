import { closest, namedWithin } from '../closest-name.ts'
import { formatHint } from '../format-hint.ts'
import type { Field } from './fields.ts'

/**
 * What to write instead of a value that a field does not accept, as the rest of a sentence after the field's name
 * (`… is a number: send 5000 without quotes.`); undefined where the value is right, or nothing obvious was meant. It
 * repeats only short whole numbers: every other value may be the customer's.
 */
export function valueHint(value: unknown, field: Field): string | undefined {
  if (value === null) return field.required || field.nullable ? undefined : 'takes no null: leave it out.'
  switch (field.type) {
    case 'object':
      return objectHint(value, field)
    case 'list':
      return isObject(value) ? 'is a list: put brackets around it, also around a single item.' : undefined
    case 'integer':
      return integerHint(value)
    case 'boolean':
      return booleanHint(value)
    case 'enum':
    case 'text':
      return textHint(value, field)
  }
}

function objectHint(value: unknown, { fields, requiredNames }: Field): string | undefined {
  if (isObject(value)) return undefined
  if (Array.isArray(value)) return value.length === 1 ? 'is one object and no list: take the brackets away.' : undefined
  const names = [...fields.keys()]
  const [only] = requiredNames
  return requiredNames.length === 1 && fields.get(only ?? '')?.type === 'text'
    ? `is an object: send the value as its field \`${only}\`.`
    : `is an object with the fields: ${names.join(', ')}.`
}

/** Digits, in groups of three at the most, and perhaps a currency behind them. */
const numberInWords = /^\s*(-?\d+|-?\d{1,3}(?:[., ]\d{3})+)(?:[.,]0{1,2})?\s*(?:€|eur|euros?)?\s*$/i

/** A number with more digits may be a telephone or document number in the wrong field. */
const mostDigitsRepeated = 6

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
    : 'is a number: send only its digits, without quotes.'
}

const isRepeatable = (value: number) => Math.abs(value) < 10 ** mostDigitsRepeated

const yes = ['true', 'yes', 'y', '1', 'on']
const no = ['false', 'no', 'n', '0', 'off']

function booleanHint(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const word = String(value).trim().toLowerCase()
  const meant = yes.includes(word) ? 'true' : no.includes(word) ? 'false' : undefined
  return meant && `is true or false: send ${meant} without quotes.`
}

function textHint(value: unknown, { values, format }: Field): string | undefined {
  if (typeof value !== 'string') {
    if (typeof value !== 'number' || values) return undefined
    return format?.name === 'date-time'
      ? 'is a text and no timestamp: write a date-time such as 2026-01-31T09:30:00Z.'
      : 'is a text: send it in quotes.'
  }
  if (!values) return format && formatHint(value, format)
  if (values.includes(value)) return undefined
  const meant = closest(value, values) ?? namedWithin(value, values)
  return meant && `takes no such value, did you mean \`${meant}\`?`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
