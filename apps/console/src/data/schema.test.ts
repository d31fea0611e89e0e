import { describe, expect, it } from 'vitest'
import { accountShape, editsBetween, issuesOf, keeping, schemaAt, withEdits } from './schema.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const whole = { type: 'integer', minimum: 0 }

const shape = accountShape({
  components: {
    schemas: {
      ChangeTenantInput: {
        type: 'object',
        properties: { products: { type: 'array', items: ref('ProductChange') } },
      },
      ProductChange: {
        type: 'object',
        description: 'A product.',
        required: ['product_id'],
        properties: {
          product_id: { type: 'string' },
          name: { type: 'string', minLength: 1 },
          backend_url: { type: ['string', 'null'] },
          window: { anyOf: [{ type: 'string', pattern: '^P' }, { type: 'null' }], 'x-issue': 'must be a duration' },
          criteria: { ...ref('Criteria'), description: 'Its criteria.' },
        },
      },
      Criteria: {
        type: 'object',
        description: 'The criteria.',
        properties: {
          min_age: { ...whole, maximum: 200 },
          methods: { type: 'array', minItems: 1, items: { type: 'string', enum: ['POST', 'PATCH'] } },
          amount: { type: 'object', required: ['min', 'max'], properties: { min: whole, max: whole } },
        },
      },
    },
  },
})
const product = schemaAt(shape, ['products', '0'])

const value = {
  product_id: 'p1',
  name: 'Loan',
  backend_url: null,
  criteria: { min_age: 18, methods: ['POST'], amount: { min: 500, max: 900 } },
}
const withCriteria = (criteria: object) => ({ ...value, criteria: { ...value.criteria, ...criteria } })

describe('the shape of the account', () => {
  it("is the control plane's, without references and null types", () => {
    expect(product.description).toBe('A product.')
    expect(product.properties?.criteria?.description).toBe('Its criteria.')
    expect(product.properties?.backend_url).toEqual({ type: 'string', nullable: true })
    expect(schemaAt(shape, ['products', '3', 'window'])).toMatchObject({
      type: 'string',
      pattern: '^P',
      nullable: true,
    })
    expect(schemaAt(shape, ['products', '0', 'criteria', 'amount', 'max'])).toEqual(whole)
    expect(schemaAt(shape, ['products', '0', 'color'])).toEqual({})
  })

  it('throws if the document has none', () => {
    expect(() => accountShape({ components: {} })).toThrow('Reload the page.')
  })
})

describe('the issues of a value', () => {
  it('are none if it is valid', () => {
    expect(issuesOf(product, value)).toEqual([])
  })

  it.each<[value: unknown, field: string, issue: string]>([
    [withCriteria({ min_age: 201 }), 'criteria.min_age', 'must be at most 200'],
    [withCriteria({ min_age: -1 }), 'criteria.min_age', 'must be at least 0'],
    [withCriteria({ min_age: 1.5 }), 'criteria.min_age', 'must be a whole number'],
    [withCriteria({ min_age: '18 years' }), 'criteria.min_age', 'must be a whole number'],
    [withCriteria({ min_age: null }), 'criteria.min_age', 'must be a whole number'],
    [withCriteria({ methods: [] }), 'criteria.methods', 'must have at least 1'],
    [withCriteria({ methods: ['PUT'] }), 'criteria.methods.0', 'must be one of POST, PATCH'],
    [withCriteria({ amount: { min: 1 } }), 'criteria.amount.max', 'is required'],
    [withCriteria({ color: 'red' }), 'criteria.color', 'is unknown'],
    [{ ...value, name: '' }, 'name', 'must not be empty'],
    [{ ...value, window: '60' }, 'window', 'must be a duration'],
    [{ ...value, criteria: [] }, 'criteria', 'must be an object'],
    [[], '', 'must be an object'],
  ])('of the invalid value %j name the field %s', (wrong, field, issue) => {
    expect(issuesOf(product, wrong)).toEqual([{ field, issue }])
  })

  it('name a field that lost its value, because a change cannot remove a value', () => {
    const { name: _name, ...nameless } = value
    expect(issuesOf(product, nameless)).toEqual([])
    expect(issuesOf(keeping(product, value), nameless)).toEqual([{ field: 'name', issue: 'is required' }])
  })
})

describe('edits', () => {
  it('are the fields that differ; a band or a list is one edit', () => {
    const { name: _name, ...nameless } = withCriteria({ methods: ['POST', 'PATCH'], amount: { min: 600, max: 900 } })
    const edits = editsBetween(product, value, nameless)
    expect(edits).toEqual([
      { path: ['name'], before: 'Loan', value: undefined },
      { path: ['criteria', 'methods'], before: ['POST'], value: ['POST', 'PATCH'] },
      { path: ['criteria', 'amount'], before: { min: 500, max: 900 }, value: { min: 600, max: 900 } },
    ])
    expect(withEdits(value, edits)).toEqual(nameless)
    expect(withEdits({ product_id: 'p1' }, edits)).toEqual({
      product_id: 'p1',
      criteria: { methods: ['POST', 'PATCH'], amount: { min: 600, max: 900 } },
    })
  })

  it('leave out what somebody else changed in other fields', () => {
    const theirs = { ...withCriteria({ min_age: 21, methods: ['PATCH'] }), name: 'Theirs' }
    const edits = editsBetween(product, value, withCriteria({ min_age: 30 }))
    expect(withEdits(theirs, edits)).toEqual({ ...theirs, criteria: { ...theirs.criteria, min_age: 30 } })
  })
})
