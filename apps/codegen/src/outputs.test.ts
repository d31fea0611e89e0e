import { expect, it } from 'vitest'
import { notesOf } from './field-notes.ts'
import { isStale, outputs } from './outputs.ts'

it.each(outputs)('$path is up to date: run `npm run generate` where this fails', async output => {
  expect(await isStale(output)).toBe(false)
})

it('finds a file that differs from its sources', async () => {
  expect(await isStale({ path: 'package.json', text: () => 'another text' })).toBe(true)
})

it('reads the JSDoc of exported interfaces, and of no other', () => {
  const text = `
    /** What it
     * is, see {@link other}. */
    export interface Thing {
      /** Its name. */
      name: string
      silent?: number
    }
    interface Hidden { a: string }`
  expect(notesOf(text)).toEqual([
    ['Thing', { description: 'What it is, see `other`.', fields: { name: 'Its name.', silent: '' } }],
  ])
})
