import { expect, it } from 'vitest'
import { readableTitle, statementsOf } from './coverage.ts'

it("reads one or several statements, including the suite's", () => {
  expect(statementsOf('takes it [2.8/loan_amount]')).toEqual(['2.8/loan_amount'])
  expect(statementsOf('takes it [4.3/rule-1, 5/token-3]')).toEqual(['4.3/rule-1', '5/token-3'])
  expect(statementsOf('suite [2.9/entry.type] > test [open/gender]')).toEqual(['2.9/entry.type', 'open/gender'])
})

it('ignores other brackets', () => {
  expect(statementsOf('answers [400, 401] in [a/b] and breaks [ no-circles ]')).toEqual([])
})

it('shows the title that has the tags, without the tags', () => {
  expect(readableTitle('suite > amount [2.8/loan_amount] > takes what it may be')).toBe('amount')
  expect(readableTitle('suite [4/apikey] > asks for it [4.1/401] [7/401]')).toBe('asks for it')
})
