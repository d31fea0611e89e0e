import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../architecture/root.ts'
import { fieldNotesPath, fieldNotesSource, notesOf } from './field-notes.ts'
import { leadRulePath, leadRuleSource } from './lead-rule.ts'
import { testLeadGuide, testLeadGuidePath } from './test-lead-guide.ts'

it('finds the field notes fresh: run `npm run generate` where this fails', () => {
  expect(readFileSync(join(root, fieldNotesPath), 'utf8')).toBe(fieldNotesSource())
})

it('finds the rule of a lead fresh: run `npm run generate` where this fails', () => {
  expect(readFileSync(join(root, leadRulePath), 'utf8')).toBe(leadRuleSource())
})

it('finds the table of test leads fresh: run `npm run generate` where this fails', () => {
  expect(readFileSync(join(root, testLeadGuidePath), 'utf8')).toBe(testLeadGuide())
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
