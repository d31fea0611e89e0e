import { describe, expect, it } from 'vitest'
import { eachRow } from '../each-row.ts'
import { codeBlocks } from './code-block.ts'

const lines = (...text: string[]) => codeBlocks(text.join('\n'))

describe('the code blocks of a page', () => {
  it('have a name, a language and a place', () => {
    expect(lines('# A', '<!-- first -->', '```ts', 'one()', '', 'two()', '```', 'B', '```', 'tree', '```')).toEqual([
      { name: 'first', language: 'ts', code: 'one()\n\ntwo()\n', line: 3 },
      { name: undefined, language: '', code: 'tree\n', line: 9 },
    ])
  })

  it('have no name where the comment stands apart', () => {
    expect(lines('<!-- far -->', '', '```ts', '```')).toMatchObject([{ name: undefined }])
  })

  it('are refused where one would be passed over', () =>
    eachRow(
      [
        ['indented', ['- a list', '  ```ts', '  one()', '  ```']],
        ['never ended', ['```ts', 'one()']],
        ['fenced otherwise', ['~~~ts', 'one()', '~~~']],
        ['said more of than its language', ['```ts title="one"', '```']],
      ],
      (_what, text) => {
        expect(() => lines(...text)).toThrow(/^Line \d: begin a block/)
      },
    ))
})
