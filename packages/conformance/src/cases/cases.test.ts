import { leadFields } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { statements } from '../statements.ts'
import { cases } from './index.ts'

/** Statements that no case covers: they concern other environments or accounts, or data that no response contains. */
const notFromOutside = [
  ...['4.3/rule-2', '5/environments', '9/rule-1', '9/rule-3', '9/rule-4', 'open/distribution'],
  ...['8/area_code', '8/children', '8/currency', '8/nacionality'],
]

describe('the conformance cases', () => {
  it('have ids of a section and a present-tense sentence', () => {
    const ids = cases.map(({ id }) => id)
    expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([])
    expect(ids.filter(id => !/^(\d+(\.\d+)*|open)\/[a-z]+s-[\w.-]+$/.test(id))).toEqual([])
  })

  it('refer to existing statements, and together cover everything that is observable from outside', () => {
    const named = cases.flatMap(each => each.statements)
    expect(named.filter(id => !(id in statements))).toEqual([])
    const missing = Object.keys(statements).filter(id => !named.some(each => each === id))
    expect(missing.sort()).toEqual([...notFromOutside].sort())
    expect(cases.filter(each => each.statements.length === 0)).toEqual([])
  })

  it('test every field of a lead', () => {
    const paths = pathsBelow(leadFields)
    expect(paths.length).toBeGreaterThan(65)
    const ids = cases.map(({ id }) => id.split('/')[1])
    expect(paths.filter(path => !ids.includes(`refuses-invalid-values-of-${path}`))).toEqual([])
  })
})

/** The paths of all fields, with the number of the list item that the cases change. */
function pathsBelow({ fields = {} }: typeof leadFields, parent = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = `${parent}${name}`
    const item = `${path}.${name === 'entries' ? 2 : 0}`
    return [path, ...(field.items ? [item, ...pathsBelow(field.items, `${item}.`)] : pathsBelow(field, `${path}.`))]
  })
}
