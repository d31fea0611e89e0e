import { describe, expect, it } from 'vitest'
import { drawnOn } from './printing.fixture.ts'
import { cuttable, line, list, plain, table, widthOf } from './printing.ts'

const id = '91ee0000-0000-40ed-9262-f1c23fe81a74'
const email = 'lead-1-d089ceb9-551c-4ec7-bd89-2f02ebc9d7fa@example.com'
const leads = [{ id, outcome: 'distributed', email, received: '2026-01-31 09:30:00' }]

const drawn = (width: number | 'pipe') =>
  drawnOn(width, () =>
    table(leads, {
      lead: 'id',
      outcome: 'outcome',
      'e-mail': ({ email }) => cuttable(email),
      received: 'received',
    }),
  )

describe('a table', () => {
  it('has one line per row in a pipe, at its natural width', () => {
    expect(drawn('pipe')).toEqual([
      `lead${' '.repeat(34)}outcome      e-mail${' '.repeat(51)}received`,
      `${id}  distributed  ${email}  2026-01-31 09:30:00`,
    ])
  })

  it.each([96, 100, 120])('fits a terminal of %i columns without breaking ids and words', columns => {
    const lines = drawn(columns)
    expect(lines.every(each => each.length <= columns)).toBe(true)
    expect(lines[1]).toMatch(new RegExp(`^${id}  distributed  lead-1-\\S+  2026-01-31 09:30:00$`))
    const cut = lines.slice(1).map(each => each.slice(id.length + 15).split(' ')[0] || each.trim())
    expect(cut.join('')).toBe(email)
  })

  it('becomes a block per row if the ids leave no room', () => {
    expect(drawn(80)).toEqual([
      `lead      ${id}`,
      'outcome   distributed',
      `e-mail    ${email}`,
      'received  2026-01-31 09:30:00',
    ])
  })

  it('wraps sentences between words', () => {
    const hints = [{ check: 'income', hint: 'Send a monthly_income of at least 600.' }]
    const lines = ['check   hint', 'income  Send a monthly_income', '        of at least 600.']
    expect(drawnOn(30, () => table(hints, { check: 'check', hint: 'hint' }))).toEqual(lines)
  })

  it('has empty cells even when narrowed', () => {
    const rows = [{ a: '', b: 'a sentence of several words' }, { a: 'x' }]
    const lines = ['a  b', '   a sentence of several', '   words', 'x']
    expect(drawnOn(24, () => table(rows, { a: 'a', b: 'b' }))).toEqual(lines)
  })

  it('is empty without rows', () => {
    expect(table([], { a: String })).toBe('')
  })
})

describe('a list', () => {
  it('omits entries without a value and keeps long URLs whole', () => {
    const url = `http://127.0.0.1:4010/_sandbox/advertiser/${id}/${id}`
    const lines = drawnOn(40, () =>
      list([
        ['outcome', 'new'],
        ['reason', undefined],
        ['url', url],
      ]),
    )
    expect(lines).toEqual(['outcome  new', `url      ${url}`])
  })
})

it('ignores color codes for the width, and counts wide characters twice', () => {
  expect(['ab', '\u001b[32mab\u001b[39m', 'é', '愛'].map(widthOf)).toEqual([2, 2, 1, 2])
})

const parts = ['2026-01-31 09:30:00', '400', undefined, 'POST', '/lead', '', 'product_id: is required']

const drawnLine = (columns: number | 'pipe') => drawnOn(columns, () => line(parts))

it('joins parts that are not empty', () => {
  expect(drawnLine('pipe')).toEqual(['2026-01-31 09:30:00  400  POST  /lead  product_id: is required'])
})

it('wraps between two parts on a narrow terminal', () => {
  expect(drawnLine(50)).toEqual(['2026-01-31 09:30:00  400  POST  /lead', '    product_id: is required'])
  expect(drawnLine(10)).toHaveLength(5)
})

it.each([
  ['not given', 'not given'],
  [400, '400'],
  [true, 'true'],
  [[], 'none'],
  [['ES', 'PT'], 'ES, PT'],
  [{ min: 500, max: 75000 }, '500 to 75000'],
  [
    { loan_amount: { min: 500, max: 75000 }, occupations_excluded: [] },
    'loan_amount: 500 to 75000; occupations_excluded: none',
  ],
])('prints %j as %s', (value, text) => {
  expect(plain(value)).toBe(text)
})
