import { expect, it } from 'vitest'
import { plain } from './plain.ts'

it.each([
  ['not stated', 'not stated'],
  [400, '400'],
  [true, 'true'],
  [[], 'none'],
  [['ES', 'PT'], 'ES, PT'],
  [{ min: 500, max: 75000 }, '500 to 75000'],
  [
    { loan_amount: { min: 500, max: 75000 }, occupations_excluded: [] },
    'loan_amount: 500 to 75000; occupations_excluded: none',
  ],
])('says %j as %s', (value, said) => {
  expect(plain(value)).toBe(said)
})
