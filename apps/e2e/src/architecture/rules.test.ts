import { rejectionReasons } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { isTest, sources } from './sources.ts'

const folder = 'packages/engine/src/rules/'
const fileOf = (reason: string) => `${folder}${reason.replaceAll('_', '-')}.ts`
const carriesTag = (text: string, reason: string) => new RegExp(`@spec 2\\.12/${reason}(?![\\w-])`).test(text)

describe('one rule, one file, named after its reason on the wire', () => {
  it.each(rejectionReasons)('%s', reason => {
    const home = sources.filter(({ path, text }) => path.startsWith('packages/') && carriesTag(text, reason))
    expect(home.map(({ path }) => path)).toEqual([fileOf(reason)])
  })

  it('leaves no other file among the rules', () => {
    const expected = [...rejectionReasons.map(fileOf), `${folder}index.ts`, `${folder}rule.ts`]
    const files = sources.map(({ path }) => path).filter(path => path.startsWith(folder) && !isTest(path))
    expect(files).toEqual(expected.sort())
  })

  it('puts every rule file into the order of rules', () => {
    const order = sources.find(({ path }) => path === `${folder}index.ts`)?.text ?? ''
    const missing = rejectionReasons.filter(reason => !order.includes(`'./${reason.replaceAll('_', '-')}.ts'`))
    expect(missing).toEqual([])
  })
})
