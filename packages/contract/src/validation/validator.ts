import type { Interpretation } from '../interpretation.ts'
import type { FieldIssue } from '../wire-error.ts'
import { empty, issueAt, notOneOf, tooBig, tooSmall, wrongFormat, wrongType } from './field-issue.ts'

/** A format of a text: its name on the wire, and its test. */
export interface TextFormat {
  /** `uuid`, `date`, `date-time`, `uri`, `email` or `ipv4`. */
  readonly name: string
  readonly fits: (text: string) => boolean
}

/** What a field takes, for code that explains values or makes them. */
export interface FieldDescription {
  readonly type: 'object' | 'list' | 'text' | 'integer' | 'boolean' | 'enum'
  /** Whether the field may be missing: always, or where the interpretation has this point as optional. */
  readonly optional?: true | keyof Interpretation
  /** Whether the field may be null. */
  readonly nullable?: true
  /** Whether a text must not be empty. */
  readonly filled?: true
  /** The format of a text. */
  readonly format?: TextFormat
  /** The values of an enumeration. */
  readonly values?: readonly string[]
  /** The least value of an integer. */
  readonly min?: number
  /** The greatest value of an integer. */
  readonly max?: number
  /** What a list holds. */
  readonly items?: FieldDescription
  /** The fields of an object. */
  readonly fields?: Readonly<Record<string, FieldDescription>>
}

/** Where a validation is, and where it reports what it finds. */
export interface ValidationContext {
  readonly interpretation: Interpretation
  /** The path of the object or list that is being validated. */
  readonly path: (string | number)[]
  /** Reports an issue of this place, or of a field below it. */
  report(issue: string, ...below: (string | number)[]): void
}

type Validate = (value: unknown, context: ValidationContext) => string | undefined

/** Returns the issue of a value; undefined where there is none, or where every issue is reported to the context. */
export interface Validator extends Validate {
  /** What the validator takes. */
  readonly describes: FieldDescription
}

/** A condition on an object as a whole; where it does not hold, `field` has the issue. */
export interface ObjectCondition {
  readonly field: string
  readonly issue: string
  holds(value: object): boolean
}

/** Every issue of an input, in the order of the validator's fields; none where the input is valid. */
export function issuesOf(validator: Validator, input: unknown, interpretation: Interpretation): FieldIssue[] {
  const issues: FieldIssue[] = []
  const path: ValidationContext['path'] = []
  const report: ValidationContext['report'] = (issue, ...below) =>
    void issues.push(issueAt([...path, ...below], issue, input))
  const issue = validator(input, { interpretation, path, report })
  if (issue) report(issue)
  return issues
}

const create = (describes: FieldDescription, validate: Validate): Validator => Object.assign(validate, { describes })

/** Any text. */
export const text = create({ type: 'text' }, value => (typeof value === 'string' ? undefined : wrongType('string')))

/** A text that is not empty. */
export const filledText = create({ type: 'text', filled: true }, value =>
  typeof value !== 'string' ? wrongType('string') : value === '' ? empty : undefined,
)

/** A text of a format. */
export const format = (name: string, fits: (text: string) => boolean): Validator =>
  create({ type: 'text', format: { name, fits } }, value =>
    typeof value !== 'string' ? wrongType('string') : fits(value) ? undefined : wrongFormat(name),
  )

/** A text of a format that a pattern defines. */
export const pattern = (name: string, regex: RegExp): Validator => format(name, text => regex.test(text))

/** True or false. */
export const boolean = create({ type: 'boolean' }, value =>
  typeof value === 'boolean' ? undefined : wrongType('boolean'),
)

/** One of these values. */
export const oneOf = (values: readonly string[]): Validator =>
  create({ type: 'enum', values }, value => (values.includes(value as string) ? undefined : notOneOf(values)))

const safe = Number.MAX_SAFE_INTEGER

/** An integer that is exact in JavaScript, within these bounds. */
export function integer(min?: number, max?: number): Validator {
  const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
  const [least, most] = [min ?? -safe, max ?? safe]
  return create({ type: 'integer', ...bounds }, value => {
    if (!Number.isFinite(value)) return wrongType('number')
    if (!Number.isInteger(value)) return wrongType('int')
    return outside(value as number, -safe, safe) ?? outside(value as number, least, most)
  })
}

const outside = (value: number, min: number, max: number) =>
  value < min ? tooSmall(min) : value > max ? tooBig(max) : undefined

/** The field may be missing. */
export const optional = (validator: Validator): Validator =>
  create({ ...validator.describes, optional: true }, (value, context) =>
    value === undefined ? undefined : validator(value, context),
  )

/** The field may be missing where the interpretation has this point as optional. */
export const optionalBy = (point: keyof Interpretation, validator: Validator): Validator =>
  create({ ...validator.describes, optional: point }, (value, context) =>
    value === undefined && context.interpretation[point] === 'optional' ? undefined : validator(value, context),
  )

/** The field may be null. */
export const nullable = (validator: Validator): Validator =>
  create({ ...validator.describes, nullable: true }, (value, context) =>
    value === null ? undefined : validator(value, context),
  )

/** A list whose items this validator takes. */
export const list = (items: Validator): Validator =>
  create({ type: 'list', items: items.describes }, (value, context) => {
    if (!Array.isArray(value)) return wrongType('array')
    // By index: a hole of a list is an item that is missing.
    for (let index = 0; index < value.length; index++) validateChild(index, value[index], items, context)
    return undefined
  })

/** An object with these fields, validated in their order; other fields are ignored. */
export function object(validators: Readonly<Record<string, Validator>>, condition?: ObjectCondition): Validator {
  const entries = Object.entries(validators)
  const fields = Object.fromEntries(entries.map(([name, { describes }]) => [name, describes]))
  return create({ type: 'object', fields }, (value, context) => {
    if (typeof value !== 'object' || value === null) return wrongType('object')
    if (Array.isArray(value)) context.report(wrongType('object'))
    else for (const [name, validator] of entries) validateChild(name, value[name as never], validator, context)
    if (condition && !condition.holds(value)) context.report(condition.issue, condition.field)
    return undefined
  })
}

function validateChild(key: string | number, value: unknown, validator: Validator, context: ValidationContext): void {
  // Only below an object or a list may more be reported: for anything else the path need not grow.
  const isParent = typeof value === 'object'
  if (isParent) context.path.push(key)
  const issue = validator(value, context)
  if (isParent) context.path.pop()
  if (issue) context.report(issue, key)
}
