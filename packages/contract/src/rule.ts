import type { Interpretation } from './interpretation.ts'
import { issueAt } from './issue-at.ts'
import { empty, notOneOf, tooBig, tooSmall, wrongFormat, wrongType } from './issue-words.ts'
import type { FieldIssue } from './wire-error.ts'

/** A look at an input: where it is, and what it has found. */
interface Look {
  readonly reading: Interpretation
  readonly path: (string | number)[]
  /** Notes what is wrong at this place, or at a field below it. */
  refuse(wrong: string, ...below: (string | number)[]): void
}

/** Says what is wrong with a value, or notes it; `undefined` where nothing is, or all is noted. */
export type Rule = (value: unknown, look: Look) => string | undefined

/** Something that must hold of an object as a whole; `issue` is said of `field` where it does not. */
export interface WholeRule {
  readonly field: string
  readonly issue: string
  holds(value: object): boolean
}

/** Every issue of an input under a rule, in the order of the rule's fields; none where it is right. */
export function issuesOf(rule: Rule, input: unknown, reading: Interpretation): FieldIssue[] {
  const issues: FieldIssue[] = []
  const path: Look['path'] = []
  const refuse: Look['refuse'] = (wrong, ...below) => void issues.push(issueAt([...path, ...below], wrong, input))
  const wrong = rule(input, { reading, path, refuse })
  if (wrong) refuse(wrong)
  return issues
}

/** Any text. */
export const text: Rule = value => (typeof value === 'string' ? undefined : wrongType('string'))

/** A text that is not empty. */
export const filledText: Rule = (value, look) => (value === '' ? empty : text(value, look))

/** A text of a format. */
export const format =
  (name: string, fits: (text: string) => boolean): Rule =>
  value =>
    typeof value !== 'string' ? wrongType('string') : fits(value) ? undefined : wrongFormat(name)

/** A text of a format that a pattern tells. */
export const pattern = (name: string, regex: RegExp): Rule => format(name, text => regex.test(text))

/** True or false. */
export const boolean: Rule = value => (typeof value === 'boolean' ? undefined : wrongType('boolean'))

/** One of these words. */
export const oneOf =
  (words: readonly string[]): Rule =>
  value =>
    words.includes(value as string) ? undefined : notOneOf(words)

const safe = Number.MAX_SAFE_INTEGER

/** An integer that is exact in JavaScript, within bounds of its own where it has some. */
export const integer =
  (min = -safe, max = safe): Rule =>
  value =>
    !Number.isFinite(value)
      ? wrongType('number')
      : !Number.isInteger(value)
        ? wrongType('int')
        : (outside(value as number, -safe, safe) ?? outside(value as number, min, max))

const outside = (value: number, min: number, max: number) =>
  value < min ? tooSmall(min) : value > max ? tooBig(max) : undefined

/** Missing, or what the rule says. */
export const optional =
  (rule: Rule): Rule =>
  (value, look) =>
    value === undefined ? undefined : rule(value, look)

/** What the rule says; missing too, where the reading takes the field for optional. */
export const optionalBy =
  (point: keyof Interpretation, rule: Rule): Rule =>
  (value, look) =>
    value === undefined && look.reading[point] === 'optional' ? undefined : rule(value, look)

/** Null, or what the rule says. */
export const nullable =
  (rule: Rule): Rule =>
  (value, look) =>
    value === null ? undefined : rule(value, look)

/** A list whose every item is what the rule says. */
export const list =
  (rule: Rule): Rule =>
  (value, look) => {
    if (!Array.isArray(value)) return wrongType('array')
    // By position: a hole of a list is an item that is missing.
    for (let index = 0; index < value.length; index++) lookAt(index, value[index], rule, look)
    return undefined
  }

/** An object whose fields are what the rules say, in their order; fields that it does not know are left alone. */
export function object(fields: Readonly<Record<string, Rule>>, whole?: WholeRule): Rule {
  const rules = Object.entries(fields)
  return (value, look) => {
    if (typeof value !== 'object' || value === null) return wrongType('object')
    if (Array.isArray(value)) look.refuse(wrongType('object'))
    else for (const [name, rule] of rules) lookAt(name, value[name as never], rule, look)
    if (whole && !whole.holds(value)) look.refuse(whole.issue, whole.field)
    return undefined
  }
}

function lookAt(key: string | number, value: unknown, rule: Rule, look: Look): void {
  // Only there may something below be wrong too.
  const deeper = typeof value === 'object'
  if (deeper) look.path.push(key)
  const wrong = rule(value, look)
  if (deeper) look.path.pop()
  if (wrong) look.refuse(wrong, key)
}
