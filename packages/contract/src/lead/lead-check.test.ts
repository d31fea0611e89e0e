import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldIssues } from '../error-shapes.ts'
import { fullLead, leadFields } from './lead.fixture.ts'
import { leadSubmission } from './lead.ts'
import { checkLead } from './lead-check.ts'
import type { Interpretation } from './limits.ts'

const requirements = ['optional', 'required'] as const
const interpretations = requirements.flatMap(gender =>
  requirements.map(consent_metadata => ({ gender, consent_metadata })),
)
const shapes = interpretations.map(interpretation => [interpretation, leadSubmission(interpretation)] as const)

/** The check finds exactly the issues that the shape finds: the same fields and messages, in the same order. */
function expectBothAgree(body: unknown): void {
  for (const [interpretation, shape] of shapes) {
    const result = shape.safeParse(body)
    expect(checkLead(body, interpretation)).toEqual(result.success ? [] : fieldIssues(result.error.issues, body))
  }
}

const places = ['customer.financial_instruments.0', 'consents.entries.0', 'consents.entries.1', 'unknown_field']
const paths = [...leadFields.map(({ path }) => path), ...places]
const consent = { type: 'terms', accepted: true, accepted_at: null, version: '1' }
const numbers = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, -(2 ** 53), 1e300, 0.5, -0]
const bounds = [499, 500, 501, 74_999, 75_000, 75_001, 2, 3, 4, 83, 84, 85]
const lists = [[], [[]], Object.assign([], consent), new Array(2), [null], { length: 0 }, { length: 1 }]
const longLists = [99, 100, 101, 5_000].flatMap(length => [{}, consent, 1].map(item => new Array(length).fill(item)))
const objects = [Object.create(null), Object.create(consent), consent, new Date(0), new Map(), /x/, () => {}]
const others = [undefined, null, 10n, Symbol('x'), '', 'x'.repeat(100_000), '__proto__', 'constructor', true, false]
const usual = leadFields.flatMap(({ kind }) => [...kind.right, ...kind.wrong])

const junk = fc.oneof(
  fc.constantFrom<unknown>(...numbers, ...bounds, ...lists, ...longLists, ...objects, ...others),
  // Cloned, because a later change may modify the value, which other tests share.
  fc.constantFrom<unknown>(...usual).map(value => structuredClone(value)),
  fc.jsonValue(),
  fc.anything(),
)
const change = fc.record({
  path: fc.constantFrom(...paths),
  how: fc.constantFrom('set', 'remove', 'inherit', 'put into a list'),
  value: junk,
})

interface Change {
  path: string
  how: string
  value: unknown
}

/** Changes one field in place if earlier changes left its parent an object. */
function changeField(body: object, { path, how, value }: Change) {
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  const parent = keys.reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], body)
  if (typeof parent !== 'object' || parent === null) return
  const now: unknown = Reflect.get(parent, last)
  if (how === 'remove') Reflect.deleteProperty(parent, last)
  else if (how === 'put into a list') Reflect.set(parent, last, [now, value])
  // The getters of a regular expression throw on objects that inherit from one, and the shape reads them.
  else if (how === 'inherit' && typeof now === 'object' && !(now instanceof RegExp))
    Reflect.set(parent, last, Object.create(now))
  else Reflect.set(parent, last, value)
}

describe('the check of a lead', () => {
  it.each(leadFields)('agrees with the shape on $path', ({ path, kind }) => {
    const odd = [...numbers, ...bounds, ...lists, ...longLists, ...objects, ...others]
    for (const value of [...kind.right, ...kind.wrong, ...odd]) {
      const body = structuredClone(fullLead)
      changeField(body, { path, how: 'set', value })
      expectBothAgree(body)
    }
  })

  it('agrees with the shape on a randomly changed lead', () => {
    const changes = fc.array(change, { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(changes, all => {
        const body = structuredClone(fullLead)
        for (const each of all) changeField(body, each)
        expectBothAgree(body)
      }),
      { numRuns: 3000 },
    )
  })

  it('agrees with the shape on anything but a lead', () => {
    fc.assert(fc.property(fc.anything(), body => expectBothAgree(body)))
  })

  it('accepts valid inherited fields, and reports invalid ones as missing', () => {
    const body = Object.create({ ...fullLead, product_id: 'x' })
    expect(checkLead(body, interpretations[0] as Interpretation)).toEqual([
      { field: 'product_id', issue: 'is required' },
    ])
    expectBothAgree(body)
  })
})
