import { fieldNotes } from '@lead-distribution/contract/openapi'
import { expect, it } from 'vitest'
import { isStale, outputs } from './outputs.ts'
import { interfacesSource, notesOf } from './wire.ts'

it.each(outputs)('$path is up to date: run `npm run generate` where this fails', async output => {
  expect(await isStale(output)).toBe(false)
})

it('detects a file that differs from its sources', async () => {
  expect(await isStale({ path: 'package.json', text: () => 'another text' })).toBe(true)
})

it("uses the comments of a shape's fields as descriptions, and adds bounds and default", () => {
  const text = `
    /** A thing
     * of ours. */ // Spec 9
    export const thing = z
      .object({
        /** Its name. */
        name: z.string(),
      })
      .check(named)
    /** No fields. */
    export const things = ['thing']
    /** Another thing. */
    export function other(of: string) {
      return z.object({
        /** Its color. */
        color: z.string(),
      })
    }`
  expect([...notesOf(text)]).toEqual([
    ['thing', { description: 'A thing of ours.', fields: { name: 'Its name.' } }],
    ['things', { description: 'No fields.', fields: {} }],
    ['other', { description: 'Another thing.', fields: { color: 'Its color.' } }],
  ])
  expect(fieldNotes.LoanProductData.fields.loan_amount).toBe('Amount, in whole euros. From 500 to 75000.')
  expect(fieldNotes.ConsentEntry.fields.version).toBe('Version label of the consent document. Not empty.')
  expect(fieldNotes.Customer.fields.financial_instruments).toBe('Bank accounts and cards. At most 100.')
  expect(fieldNotes.EventReport.fields.ref).toBe("The advertiser's own reference for the lead. At most 255 characters.")
  expect(fieldNotes.Profile.fields.children).toBe('Number of children. Default: `0`.')
  expect(fieldNotes.Profile.fields.monthly_income).toBe('Net monthly income, in whole euros.')
})

it('gives a field of an interface the type from its shape', () => {
  const source = interfacesSource()
  for (const line of [
    'lead_id?: string | null | undefined',
    'rejection_reason?: RejectionReason | null | undefined',
    'financial_instruments?: FinancialInstrument[] | undefined',
    'entries: ConsentEntry[]',
    'accepted: boolean',
    'loan_amount: number',
    'status?: VerificationStatus | undefined',
    'event: PixelEvent',
  ])
    expect(source).toContain(`\n  ${line}\n`)
})
