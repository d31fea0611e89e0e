import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { statements } from '@lead-distribution/conformance'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../house/root.ts'
import { type CollectedTest, collectTests } from './collect-tests.ts'
import { type Coverage, coverageOf } from './coverage.ts'
import { expectedIds, unplaced } from './expected-ids.ts'
import { conformancePath, conformanceTable } from './table.ts'

const ids = Object.keys(statements)

describe('the statements', () => {
  it('leave out no field, word, reason, event, error or numbered rule', () => {
    expect(unplaced).toEqual([])
    expect(expectedIds.filter(id => !ids.includes(id))).toEqual([])
  })

  it('leave out no switch of what is open', () => {
    const settings = readFileSync(join(root, 'packages/engine/src/settings.ts'), 'utf8')
    const switches = [...settings.matchAll(/\/\*\* Point \d+ .*\n {2}(\w+):/g)].map(([, name]) => `open/${name}`)
    expect(switches.length).toBe(13)
    expect(switches.filter(id => !(id in statements))).toEqual([])
  })

  it('are one sentence each', () => {
    expect(Object.values(statements).filter(text => !/^[\w+].*\.$/.test(text))).toEqual([])
  })
})

describe('the tests', () => {
  let tests: CollectedTest[]
  let coverage: Coverage

  beforeAll(async () => {
    tests = await collectTests()
    coverage = coverageOf(tests)
  }, 180_000)

  it('name no statement that there is not', () => {
    expect(coverage.unknown).toEqual([])
  })

  it.each(Object.entries(statements))('show %s', (id, text) => {
    expect(coverage.testsOf.get(id)?.length, `No title names it: ${text}`).toBeGreaterThan(0)
  })

  it('are those of the table: run `npm run generate` where this fails', () => {
    expect(readFileSync(join(root, conformancePath), 'utf8')).toBe(conformanceTable(tests))
  })
})
