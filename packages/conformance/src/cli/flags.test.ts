import { expect, it } from 'vitest'
import type { ConformanceCase } from '../conformance-case.ts'
import { CommandError } from './command-error.ts'
import { matching } from './flags.ts'

const run = async () => undefined
const cases: ConformanceCase[] = [
  { id: '2.8/loan_amount-is-required', title: 'a', statements: ['2.8/loan_amount'], run },
  { id: '2.8/loan_purpose-is-required', title: 'b', statements: ['2.11/LoanPurpose'], run },
]

it.each([
  [undefined, 2],
  ['2.8', 2],
  ['2.8/*amount', 1],
  ['LoanPurpose', 1],
  ['*-is-required', 2],
])('finds the cases that match %s', (pattern, count) => {
  expect(matching(cases, pattern)).toHaveLength(count)
})

it.each(['2x8', '(', 'amount.*'])('takes %s literally, and reports that no case matches', pattern => {
  expect(() => matching(cases, pattern)).toThrow(CommandError)
})
