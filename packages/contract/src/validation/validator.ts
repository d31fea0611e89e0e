import type { Interpretation } from '../interpretation.ts'
import { type FieldIssue, IssueList } from '../wire-error.ts'
import type { ObjectCondition } from './field-description.ts'
import { empty, issueAt, notOneOf, tooBig, tooMany, tooSmall, wrongFormat, wrongType } from './field-issue.ts'

/** Where a validation is, and where it reports what it finds. */
export interface ValidationContext {
  readonly interpretation: Interpretation
  /** The path of the object or list that is being validated. */
  readonly path: (string | number)[]
  /** Reports an issue of this place, or of a field below it. */
  report(issue: string, ...below: (string | number)[]): void
}

/** Returns the issue of a value; undefined where there is none, or where every issue is reported to the context. */
export type Validator = (value: unknown, context: ValidationContext) => string | undefined

/** The issues of an input, in the order of the validator's fields, as {@link IssueList} lists them; none where it is valid. */
export function issuesOf(validator: Validator, input: unknown, interpretation: Interpretation): FieldIssue[] {
  const issues = new IssueList()
  const path: ValidationContext['path'] = []
  const report: ValidationContext['report'] = (issue, ...below) =>
    issues.add(() => issueAt([...path, ...below], issue, input))
  const issue = validator(input, { interpretation, path, report })
  if (issue) report(issue)
  return issues.list()
}

/** Any text. */
export const text: Validator = value => (typeof value === 'string' ? undefined : wrongType('string'))

/** A text that is not empty. */
export const filledText: Validator = (value, context) => (value === '' ? empty : text(value, context))

/** A text of a format. */
export const format =
  (name: string, fits: (text: string) => boolean): Validator =>
  value =>
    typeof value !== 'string' ? wrongType('string') : fits(value) ? undefined : wrongFormat(name)

/** A text of a format that a pattern defines. */
export const pattern = (name: string, regex: RegExp): Validator => format(name, text => regex.test(text))

/** True or false. */
export const boolean: Validator = value => (typeof value === 'boolean' ? undefined : wrongType('boolean'))

/** One of these values. */
export const oneOf =
  (values: readonly string[]): Validator =>
  value =>
    values.includes(value as string) ? undefined : notOneOf(values)

const safe = Number.MAX_SAFE_INTEGER

/** An integer that is exact in JavaScript, within these bounds. */
export const integer =
  (min = -safe, max = safe): Validator =>
  value =>
    !Number.isFinite(value)
      ? wrongType('number')
      : !Number.isInteger(value)
        ? wrongType('int')
        : (outside(value as number, -safe, safe) ?? outside(value as number, min, max))

const outside = (value: number, min: number, max: number) =>
  value < min ? tooSmall(min) : value > max ? tooBig(max) : undefined

/** The field may be missing. */
export const optional =
  (validator: Validator): Validator =>
  (value, context) =>
    value === undefined ? undefined : validator(value, context)

/** The field may be missing where the interpretation has this point as optional. */
export const optionalBy =
  (point: keyof Interpretation, validator: Validator): Validator =>
  (value, context) =>
    value === undefined && context.interpretation[point] === 'optional' ? undefined : validator(value, context)

/** The field may be null. */
export const nullable =
  (validator: Validator): Validator =>
  (value, context) =>
    value === null ? undefined : validator(value, context)

/** A list whose items this validator accepts, and which it reads only where they are not too many. */
export const list =
  (items: Validator, maxItems: number): Validator =>
  (value, context) => {
    if (!Array.isArray(value)) return wrongType('array')
    if (value.length > maxItems) return tooMany(maxItems)
    // By index: a hole of a list is an item that is missing.
    for (let index = 0; index < value.length; index++) validateChild(index, value[index], items, context)
    return undefined
  }

/** An object with these fields, validated in their order; other fields are ignored. */
export function object(fields: Readonly<Record<string, Validator>>, condition?: ObjectCondition): Validator {
  const validators = Object.entries(fields)
  return (value, context) => {
    if (typeof value !== 'object' || value === null) return wrongType('object')
    if (Array.isArray(value)) context.report(wrongType('object'))
    else for (const [name, validator] of validators) validateChild(name, value[name as never], validator, context)
    if (condition && !condition.holds(value)) context.report(condition.issue, condition.field)
    return undefined
  }
}

function validateChild(key: string | number, value: unknown, validator: Validator, context: ValidationContext): void {
  // Only below an object or a list may more be reported: for anything else the path need not grow.
  const isParent = typeof value === 'object'
  if (isParent) context.path.push(key)
  const issue = validator(value, context)
  if (isParent) context.path.pop()
  if (issue) context.report(issue, key)
}
