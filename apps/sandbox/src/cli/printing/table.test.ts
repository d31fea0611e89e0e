import { describe, expect, it } from 'vitest'
import { cuttable, list, table, widthOf } from './table.ts'
import { drawnOn } from './terminal.fixture.ts'

const id = '91ee0000-0000-40ed-9262-f1c23fe81a74'
const email = 'lead-1-d089ceb9-551c-4ec7-bd89-2f02ebc9d7fa@example.com'
const head = ['lead', 'outcome', 'e-mail', 'received']
const rows = [[id, 'distributed', cuttable(email), '2026-01-31 09:30:00']]

const drawn = (columns: number | 'pipe') => drawnOn(columns, () => table(head, rows))

describe('a table', () => {
  it('has one line a row in a pipe, as wide as it comes', () => {
    expect(drawn('pipe')).toEqual([
      `lead${' '.repeat(34)}outcome      e-mail${' '.repeat(51)}received`,
      `${id}  distributed  ${email}  2026-01-31 09:30:00`,
    ])
  })

  it.each([96, 100, 120])('fits a terminal of %i columns, ids and words whole', columns => {
    const lines = drawn(columns)
    expect(lines.every(each => each.length <= columns)).toBe(true)
    expect(lines[1]).toMatch(new RegExp(`^${id}  distributed  lead-1-\\S+  2026-01-31 09:30:00$`))
    const cut = lines.slice(1).map(each => each.slice(id.length + 15).split(' ')[0] || each.trim())
    expect(cut.join('')).toBe(email)
  })

  it('becomes a block a row where the ids leave no room', () => {
    expect(drawn(80)).toEqual([
      `lead      ${id}`,
      'outcome   distributed',
      `e-mail    ${email}`,
      'received  2026-01-31 09:30:00',
    ])
  })

  it('wraps a sentence at its words', () => {
    expect(drawnOn(30, () => table(['check', 'hint'], [['income', 'Send a monthly_income of at least 600.']]))).toEqual(
      ['check   hint', 'income  Send a monthly_income', '        of at least 600.'],
    )
  })

  it('has empty cells also where it is narrowed', () => {
    expect(
      drawnOn(24, () =>
        table(
          ['a', 'b'],
          [
            ['', 'a sentence of several words'],
            ['x', undefined],
          ],
        ),
      ),
    ).toEqual(['a  b', '   a sentence of several', '   words', 'x'])
  })
})

describe('a list', () => {
  it('leaves out what has no value, and keeps a long address whole', () => {
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

it('takes no colour for width, and a wide letter for two', () => {
  expect(['ab', '\u001b[32mab\u001b[39m', 'é', '愛'].map(widthOf)).toEqual([2, 2, 1, 2])
})
