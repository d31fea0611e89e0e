import { expect, it } from 'vitest'
import type { ConformanceCase } from '../case.ts'
import { CommandError } from './account-file.ts'
import { matching } from './flags.ts'

const run = async () => undefined
const cases: ConformanceCase[] = [
  { id: '2.8/requires-loan_amount', statements: ['2.8/loan_amount'], needs: [], weight: 'specification', run },
  { id: '2.8/requires-loan_purpose', statements: ['2.11/LoanPurpose'], needs: [], weight: 'specification', run },
]

it.each([
  [undefined, 2],
  ['2.8', 2],
  ['2.8/*amount', 1],
  ['LoanPurpose', 1],
  ['requires-*', 2],
])('finds the cases that match %s', (pattern, count) => {
  expect(matching(cases, pattern)).toHaveLength(count)
})

it.each(['2x8', '(', 'amount.*'])('treats %s literally, and reports that no case matches', pattern => {
  expect(() => matching(cases, pattern)).toThrow(CommandError)
})
