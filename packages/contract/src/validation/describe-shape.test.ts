import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { emailAddress, uuid } from '../format-shapes.ts'
import { isUuid } from '../formats.ts'
import { leadFields } from '../lead/lead.fixture.ts'
import { consentEntry, leadSubmission } from '../lead/lead.ts'
import { acceptedSaysWhen, formalInterpretation, proseInterpretation } from '../lead/limits.ts'
import { eventReport, statusUpdate } from '../status.ts'
import { describeShape, type ZodShape } from './describe-shape.ts'
import type { FieldDescription } from './validator.ts'

const defined = (def: object): ZodShape => ({ _zod: { def } })
const text = defined({ type: 'string' })
const [saysWhen] = consentEntry._zod.def.checks ?? []
const objectOf = (field: ZodShape, ...checks: ZodShape[]) => defined({ type: 'object', shape: { field }, checks })
const pathsOf = ({ fields = {}, items }: FieldDescription, parent: string[] = []): string[] =>
  Object.entries({ ...fields, ...(items && { 0: items }) }).flatMap(([name, field]) => [
    [...parent, name].join('.'),
    ...pathsOf(field, [...parent, name]),
  ])

describe('the description of a shape', () => {
  it('has every field of a lead', () => {
    const paths = pathsOf(describeShape(leadSubmission(proseInterpretation)))
    expect(leadFields.filter(({ path }) => !paths.includes(path))).toEqual([])
  })

  it('shows the fields required under an interpretation', () => {
    const gender = (interpretation = proseInterpretation) =>
      describeShape(leadSubmission(interpretation)).fields?.customer?.fields?.personal_data?.fields?.gender?.optional
    expect([gender(), gender(formalInterpretation)]).toEqual([true, undefined])
  })

  it('has formats with their test, bounds, values, and a condition on an object', () => {
    expect(describeShape(uuid).format).toEqual({ name: 'uuid', fits: isUuid })
    expect(describeShape(emailAddress).format?.fits('ana@example.com')).toBe(true)
    expect(describeShape(z.optional(z.int().check(z.gte(3), z.lte(84))))).toEqual({
      type: 'integer',
      min: 3,
      max: 84,
      optional: true,
    })
    expect(describeShape(z.nullable(z.enum(['a', 'b'])))).toEqual({ type: 'enum', values: ['a', 'b'], nullable: true })
    expect(describeShape(z.array(z.string()).check(z.maxLength(7)))).toEqual({
      type: 'list',
      items: { type: 'text' },
      maxItems: 7,
    })
    expect(describeShape(consentEntry).condition).toEqual(acceptedSaysWhen)
  })

  it.each<[string, ZodShape]>([
    ['another type', defined({ type: 'map' })],
    ['an object that refuses unknown fields', defined({ type: 'object', shape: {}, catchall: text })],
    ['a number with a fraction', statusUpdate('any')],
    ['a maximum length', eventReport],
    ['a coerced text', defined({ type: 'string', coerce: true })],
    ['a custom error message', defined({ type: 'string', error: () => 'no' })],
    [
      'an exclusive bound',
      defined({
        type: 'number',
        format: 'safeint',
        checks: [defined({ check: 'less_than', value: 5, inclusive: false })],
      }),
    ],
    [
      'two lower bounds',
      defined({
        type: 'number',
        format: 'safeint',
        checks: [1, 2].map(value => defined({ check: 'greater_than', value, inclusive: true })),
      }),
    ],
    [
      'a length of a format',
      defined({ ...uuid._zod.def, checks: [defined({ check: 'min_length', minimum: 1, when: () => true })] }),
    ],
    [
      'a minimum length above one',
      defined({ type: 'string', checks: [defined({ check: 'min_length', minimum: 2, when: () => true })] }),
    ],
    ['a format without a test', defined({ type: 'string', check: 'string_format', format: 'iban' })],
    ['a check that aborts', defined({ ...emailAddress._zod.def, abort: true })],
    [
      'a check of an object that runs only sometimes',
      objectOf(text, defined({ ...saysWhen?._zod.def, when: () => false })),
    ],
    ['a list without a maximum length', defined({ type: 'array', element: text })],
    ['a list that is validated before its length', z.array(z.string()).check(z.minLength(1), z.maxLength(2))],
    ['two checks of an object', objectOf(text, saysWhen as ZodShape, saysWhen as ZodShape)],
  ])("is refused for %s, which it can't express", (_what, shape) => {
    expect(() => describeShape(shape)).toThrow(/^The validator does not support .+\.$/)
  })
})
