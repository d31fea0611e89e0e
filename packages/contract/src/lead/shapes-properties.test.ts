import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fieldIssues } from '../error-shapes.ts'
import { formalInterpretation, proseInterpretation } from '../interpretation.ts'
import { fullLead, leadWith } from './full-lead.fixture.ts'
import { leadFields } from './lead-fields.fixture.ts'
import { leadSubmission } from './shapes.ts'

const shape = leadSubmission(proseInterpretation)
const compiled = z.compile(shape)
const json = fc.jsonValue()

describe('the shape of a lead, on any input', () => {
  it('takes an amount exactly from 500 to 75000 [2.8/loan_amount, 8/loan_amount]', () => {
    const amount = fc.oneof(fc.integer({ min: 490, max: 510 }), fc.integer({ min: 74_990, max: 75_010 }), fc.integer())
    fc.assert(
      fc.property(amount, value => {
        const taken = shape.safeParse(leadWith('product_data.loan_amount', value)).success
        expect(taken).toBe(value >= 500 && value <= 75_000)
      }),
    )
  })

  it('takes a term exactly from 3 to 84 months [2.8/loan_term_months, 8/loan_term_months]', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100, max: 200 }), value => {
        const taken = shape.safeParse(leadWith('product_data.loan_term_months', value)).success
        expect(taken).toBe(value >= 3 && value <= 84)
      }),
    )
  })

  it('finds the same compiled as it does written', () => {
    const anywhere = fc.tuple(fc.constantFrom(...leadFields.map(({ path }) => path)), json)
    fc.assert(
      fc.property(anywhere, ([path, value]) => {
        const body = leadWith(path, value)
        const [one, other] = [shape.safeParse(body), compiled.safeParse(body)]
        expect(other.success).toBe(one.success)
        if (one.success) expect(other.data).toEqual(one.data)
        else expect(fieldIssues(other.error?.issues ?? [], body)).toEqual(fieldIssues(one.error.issues, body))
      }),
      { numRuns: 500 },
    )
  })

  it('never throws, and refuses what is no lead', () => {
    fc.assert(fc.property(json, body => !shape.safeParse(body).success))
  })

  it('takes again what it gave: defaults are filled once', () => {
    const missing = fc.subarray(leadFields.filter(({ required }) => !required).map(({ path }) => path))
    fc.assert(
      fc.property(missing, paths => {
        const body = paths.reduceRight<unknown>((lead, path) => leadWith(path, undefined, lead), fullLead)
        const once = shape.parse(body)
        expect(shape.parse(once)).toEqual(once)
      }),
    )
  })

  it('takes under the prose interpretation all that the formal one takes', () => {
    const formal = leadSubmission(formalInterpretation)
    const path = fc.constantFrom(...leadFields.map(field => field.path))
    fc.assert(
      fc.property(path, fc.option(json, { nil: undefined }), (where, value) => {
        const body = leadWith(where, value)
        if (formal.safeParse(body).success) expect(shape.safeParse(body).success).toBe(true)
      }),
    )
  })

  it('never repeats a value in an issue: it may be personal data', () => {
    const path = fc.constantFrom(...leadFields.map(field => field.path))
    fc.assert(
      fc.property(path, fc.uuid(), (where, secret) => {
        const body = leadWith(where, `<${secret}>`)
        const result = shape.safeParse(body)
        const issues = result.success ? [] : fieldIssues(result.error.issues, body)
        expect(JSON.stringify(issues)).not.toContain(secret)
      }),
    )
  })
})
