import * as contract from '@lead-distribution/contract'
import * as shapes from '@lead-distribution/contract/shapes'
import { describe, expect, it } from 'vitest'
import { type Place, type Shape, validatorOfShape } from './validator-of-shape.ts'

const validatorOf = (loose: Shape, strict: Place['strict'] = {}) =>
  validatorOfShape({ loose, strict }, contract, new Set())
const defined = (def: object) => ({ _zod: { def } })
const objectOf = (field: Shape, checks?: readonly Shape[]) =>
  defined({ type: 'object', shape: { field }, ...(checks && { checks }) })
const consents = shapes.leadSubmission(contract.proseInterpretation)._zod.def.shape.consents
const entry = consents._zod.def.shape.entries._zod.def.element
const [saysWhen] = entry._zod.def.checks ?? []
const text = defined({ type: 'string' })
const optionalText = defined({ type: 'optional', innerType: text })

describe('the validator of a shape', () => {
  it('is its source text', () => {
    expect(validatorOf(shapes.eventReply)).toBe(
      "object({\n    lead_id: format('uuid', isUuid),\n    event: oneOf(pixelEvents),\n    status: oneOf(eventOutcomes),\n  })",
    )
    expect(validatorOf(shapes.ipv4)).toMatch(/^pattern\('ipv4', \/\^.+\$\/\)$/)
  })

  it('names what it refers to', () => {
    const used = new Set<string>()
    validatorOfShape({ loose: entry, strict: {} }, contract, used)
    expect([...used].sort()).toEqual([
      'acceptedSaysWhen',
      'boolean',
      'filledText',
      'format',
      'isDateTime',
      'nullable',
      'object',
      'optional',
      'text',
    ])
  })

  it('leaves to the interpretation what a point of it requires', () => {
    const strict = { gender: objectOf(text), consent_metadata: objectOf(optionalText) }
    expect(validatorOf(objectOf(optionalText), strict)).toContain("field: optionalBy('gender', text)")
  })

  it.each([
    ['a shape that two points require', objectOf(optionalText), { a: objectOf(text), b: objectOf(text) }],
    ['a shape that an interpretation makes optional', objectOf(text), { a: objectOf(optionalText) }],
    ['an object that an interpretation adds a field to', defined({ type: 'object', shape: {} }), { a: objectOf(text) }],
    ['an object that an interpretation adds a check to', objectOf(text), { a: objectOf(text, saysWhen && [saysWhen]) }],
    ['a field whose type depends on an interpretation', objectOf(text), { a: objectOf(shapes.uuid) }],
  ])('is none of %s', (_what, loose, strict) => {
    expect(() => validatorOf(loose, strict)).toThrow(/interpretation/)
  })

  it.each<[string, Shape]>([
    ['another type', defined({ type: 'map' })],
    ['fields that must be known', defined({ type: 'object', shape: {}, catchall: text })],
    ['a number with a fraction', shapes.statusUpdate('any')],
    ['a longest length', shapes.eventReport],
    ['a text that is coerced', defined({ type: 'string', coerce: true })],
    ['its own error message', defined({ type: 'string', error: () => 'no' })],
    [
      'a bound that is not taken itself',
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
      defined({ ...shapes.uuid._zod.def, checks: [defined({ check: 'min_length', minimum: 1, when: () => true })] }),
    ],
    [
      'a longer least length',
      defined({ type: 'string', checks: [defined({ check: 'min_length', minimum: 2, when: () => true })] }),
    ],
    ['a format without a name', defined({ type: 'string', check: 'string_format', format: 'iban', fn: () => true })],
    ['values that are not exported', defined({ type: 'enum', entries: { a: 'a' } })],
    ['a check that ends all checks', defined({ ...shapes.emailAddress._zod.def, abort: true })],
    [
      'an object with a check that is not exported',
      objectOf(text, [defined({ ...saysWhen?._zod.def, fn: () => true })]),
    ],
    [
      'a check of an object that says something else',
      objectOf(text, [defined({ ...saysWhen?._zod.def, path: ['type'] })]),
    ],
    [
      'a check of an object that does not always run',
      objectOf(text, [defined({ ...saysWhen?._zod.def, when: () => false })]),
    ],
    [
      'a check of an object with a number',
      objectOf(defined({ type: 'number', format: 'safeint' }), saysWhen && [saysWhen]),
    ],
  ])('is not made for %s, which it would miss', (_what, shape) => {
    expect(() => validatorOf(shape)).toThrow(/^(No validator is known for|Export) .+\.$/)
  })
})
