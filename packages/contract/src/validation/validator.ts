import type { FieldIssue } from '../interfaces.generated.ts'
import type { Interpretation } from '../lead/limits.ts'
import { IssueList } from '../wire-error.ts'
import { empty, issueAt, notOneOf, tooBig, tooMany, tooSmall, wrongFormat, wrongType } from './field-issue.ts'

/** A text format: its name on the wire, and its test. */
export interface TextFormat {
  /** `uuid`, `date`, `date-time`, `uri`, `email` or `ipv4`. */
  readonly name: string
  readonly fits: (text: string) => boolean
}

/** A condition on an object as a whole. If it fails, `field` gets the issue. */
export interface ObjectCondition {
  readonly field: string
  readonly issue: string
  holds(value: object): boolean
}

/** The values that a field accepts, for code that validates, explains or generates them. */
export interface FieldDescription {
  readonly type: 'object' | 'list' | 'text' | 'integer' | 'boolean' | 'enum'
  /** True if the field may be missing: always, or if the interpretation of this point is `optional`. */
  readonly optional?: true | keyof Interpretation
  /** True if the field may be null. */
  readonly nullable?: true
  /** True if a text must not be empty. */
  readonly filled?: true
  /** The format of a text. */
  readonly format?: TextFormat
  /** The values of an enumeration. */
  readonly values?: readonly string[]
  /** The minimum of an integer. */
  readonly min?: number
  /** The maximum of an integer. */
  readonly max?: number
  /** The items of a list. */
  readonly items?: FieldDescription
  /** The maximum number of items in a list. */
  readonly maxItems?: number
  /** The fields of an object. */
  readonly fields?: Readonly<Record<string, FieldDescription>>
  /** A condition on an object as a whole. */
  readonly condition?: ObjectCondition
}

interface Context {
  readonly interpretation: Interpretation
  /** The path of the object or list being validated. */
  readonly path: (string | number)[]
  /** Reports an issue at this path, or of a field below it. */
  report(issue: string, ...below: (string | number)[]): void
}

/** Returns the issue of a value; undefined if there is none, or if every issue is reported to the context. */
type Check = (value: unknown, context: Context) => string | undefined

/** Finds the issues of an input, in field order, as {@link IssueList} lists them. */
export type Validator = (input: unknown, interpretation: Interpretation) => FieldIssue[]

/** Creates the validator of a field, without zod and without `eval`. */
export function validatorOf(field: FieldDescription): Validator {
  const check = checkOf(field)
  return (input, interpretation) => {
    const issues = new IssueList()
    const path: Context['path'] = []
    const report: Context['report'] = (issue, ...below) => issues.add(() => issueAt([...path, ...below], issue, input))
    const issue = check(input, { interpretation, path, report })
    if (issue) report(issue)
    return issues.list()
  }
}

function checkOf(field: FieldDescription): Check {
  const { optional, nullable } = field
  const check = checkOfType(field)
  if (!optional && !nullable) return check
  return (value, context) => {
    if (nullable && value === null) return undefined
    const mayBeMissing = optional === true || (optional && context.interpretation[optional] === 'optional')
    return mayBeMissing && value === undefined ? undefined : check(value, context)
  }
}

function checkOfType(field: FieldDescription): Check {
  const { type, values = [] } = field
  switch (type) {
    case 'object':
      return objectCheck(field)
    case 'list':
      return listCheck(field)
    case 'integer':
      return integerCheck(field)
    case 'text':
      return textCheck(field)
    case 'enum':
      return value => (values.includes(value as string) ? undefined : notOneOf(values))
    case 'boolean':
      return value => (typeof value === 'boolean' ? undefined : wrongType('boolean'))
  }
}

function textCheck({ filled, format }: FieldDescription): Check {
  return value => {
    if (typeof value !== 'string') return wrongType('string')
    if (filled && value === '') return empty
    return !format || format.fits(value) ? undefined : wrongFormat(format.name)
  }
}

const safe = Number.MAX_SAFE_INTEGER

/** An integer must be exact in JavaScript. */
function integerCheck({ min = -safe, max = safe }: FieldDescription): Check {
  return value =>
    !Number.isFinite(value)
      ? wrongType('number')
      : !Number.isInteger(value)
        ? wrongType('int')
        : (outside(value as number, -safe, safe) ?? outside(value as number, min, max))
}

const outside = (value: number, min: number, max: number) =>
  value < min ? tooSmall(min) : value > max ? tooBig(max) : undefined

/** Validates the items only if there are not too many. */
function listCheck({ items, maxItems = 0 }: FieldDescription): Check {
  const check = checkOf(items as FieldDescription)
  return (value, context) => {
    if (!Array.isArray(value)) return wrongType('array')
    if (value.length > maxItems) return tooMany(maxItems)
    // By index, because a hole in a list counts as a missing item.
    for (let index = 0; index < value.length; index++) checkChild(index, value[index], check, context)
    return undefined
  }
}

/** Validates the known fields in their order, and ignores all others. */
function objectCheck({ fields = {}, condition }: FieldDescription): Check {
  const checks = Object.entries(fields).map(([name, field]) => [name, checkOf(field)] as const)
  return (value, context) => {
    if (typeof value !== 'object' || value === null) return wrongType('object')
    if (Array.isArray(value)) context.report(wrongType('object'))
    else for (const [name, check] of checks) checkChild(name, value[name as never], check, context)
    if (condition && !condition.holds(value)) context.report(condition.issue, condition.field)
    return undefined
  }
}

function checkChild(key: string | number, value: unknown, check: Check, context: Context): void {
  // Only objects and lists may report more issues, so only they extend the path.
  const isParent = typeof value === 'object'
  if (isParent) context.path.push(key)
  const issue = check(value, context)
  if (isParent) context.path.pop()
  if (issue) context.report(issue, key)
}
