import * as contract from '@lead-distribution/contract'
import { consentEntry, describeShape, eventReply, ipv4 } from '@lead-distribution/contract/shapes'
import { describe, expect, it } from 'vitest'
import { type Place, validatorOf } from './validator-of.ts'

type Field = contract.FieldDescription

const sourceOf = (loose: Field, strict: Place['strict'] = {}) => validatorOf({ loose, strict }, contract, new Set())
const text: Field = { type: 'text' }
const optionalText: Field = { ...text, optional: true }
const condition = contract.acceptedSaysWhen
const objectOf = (field: Field, more: Partial<Field> = {}): Field => ({ type: 'object', fields: { field }, ...more })

describe('the validator of a field', () => {
  it('is its source text', () => {
    expect(sourceOf(describeShape(eventReply))).toBe(
      "object({\n    lead_id: format('uuid', isUuid),\n    event: oneOf(pixelEvents),\n    status: oneOf(eventOutcomes),\n  })",
    )
    expect(sourceOf(describeShape(ipv4))).toMatch(/^pattern\('ipv4', \/\^.+\$\/\)$/)
    expect(sourceOf({ type: 'list', items: text, maxItems: 7 })).toBe('list(text, 7)')
    expect(sourceOf({ type: 'integer', min: 3, max: 84, nullable: true, optional: true })).toBe(
      'optional(nullable(integer(3, 84)))',
    )
  })

  it('collects the names that it refers to', () => {
    const used = new Set<string>()
    validatorOf({ loose: describeShape(consentEntry), strict: {} }, contract, used)
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
    expect(sourceOf(objectOf(optionalText), strict)).toContain("field: optionalBy('gender', text)")
  })

  it.each<[string, Field, Place['strict']]>([
    ['a field that two points require', objectOf(optionalText), { a: objectOf(text), b: objectOf(text) }],
    ['a field that an interpretation makes optional', objectOf(text), { a: objectOf(optionalText) }],
    ['an object that an interpretation adds a field to', objectOf(text, { fields: {} }), { a: objectOf(text) }],
    ['an object that an interpretation adds a condition to', objectOf(text), { a: objectOf(text, { condition }) }],
    ['a field whose type depends on an interpretation', objectOf(text), { a: objectOf({ type: 'boolean' }) }],
    ['a field whose values depend on an interpretation', { type: 'enum', values: ['a'] }, { a: { type: 'enum' } }],
    ['a field whose format depends on an interpretation', text, { a: describeShape(ipv4) }],
    ['a list whose length depends on an interpretation', listOf(text), { a: { ...listOf(text), maxItems: 8 } }],
    ['a list whose items depend on an interpretation', listOf(text), { a: listOf({ type: 'boolean' }) }],
  ])('is not generated for %s', (_what, loose, strict) => {
    expect(() => sourceOf(loose, strict)).toThrow(/interpretation/)
  })

  it.each<[string, Field]>([
    ['values that are not exported', { type: 'enum', values: ['a'] }],
    ['a format whose test is not exported', { type: 'text', format: { name: 'iban', fits: () => true } }],
    ['a condition that is not exported', objectOf(text, { condition: { ...condition, holds: () => true } })],
    ['a condition with another issue', objectOf(text, { condition: { ...condition, issue: 'is wrong' } })],
    ['a condition on an object with a number', objectOf({ type: 'integer' }, { condition })],
  ])('is not generated for %s', (_what, field) => {
    expect(() => sourceOf(field)).toThrow(/^(No validator is known for|Export) .+\.$/)
  })
})

function listOf(items: Field): Field {
  return { type: 'list', items, maxItems: 7 }
}
