import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { statements } from '@lead-distribution/conformance'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { expectedIds } from './expected-ids.ts'

const ids = Object.keys(statements)

describe('the statements', () => {
  // The compiler checks that no field is missing.
  it('cover every value, reason, event, error and numbered rule', () => {
    expect(expectedIds.filter(id => !ids.includes(id))).toEqual([])
  })

  it('cover every switch of the open points', () => {
    const settings = readFileSync(join(root, 'packages/contract/src/settings.ts'), 'utf8')
    const switches = [...settings.matchAll(/\/\*\* Point \d+ .*\n {2}(\w+):/g)].map(([, name]) => `open/${name}`)
    expect(switches.length).toBe(13)
    expect(switches.filter(id => !(id in statements))).toEqual([])
  })

  it('are whole sentences', () => {
    expect(Object.values(statements).filter(text => !/^[\w+`].*\.$/.test(text))).toEqual([])
  })
})
