import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { statements } from '@lead-distribution/conformance'
import { errorStatus, pixelEvents, rejectionReasons, usageEvents } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'

const ids = Object.keys(statements)

const numbered = (section: string, name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${section}/${name}-${index + 1}`)

/** Ids required by the contract, or by the specification's numbering. */
const expectedIds: readonly string[] = [
  ...['LoanPurpose', 'OccupationType', 'MaritalStatus', 'EducationLevel', 'HousingTenure', 'HousingType'].map(
    name => `2.11/${name}`,
  ),
  ...['CompanySector', 'VerificationStatus', 'VerificationMethod', 'Gender'].map(name => `2.11/${name}`),
  ...rejectionReasons.map(reason => `2.12/${reason}`),
  ...['new', 'distributed', 'rejected', 'received', 'ignored'].map(state => `3/${state}`),
  ...['400', '401', '422', '500'].flatMap(status => [`4.1/${status}`, `7/${status}`]),
  ...[...pixelEvents, ...usageEvents].map(event => `6.1/${event}`),
  ...Object.keys(errorStatus).map(code => (code === 'validation_error' ? '7/validation_error' : `open/error.${code}`)),
  ...numbered('4.1', 'rule', 4),
  ...numbered('4.3', 'rule', 3),
  ...numbered('5', 'rule', 3),
  ...numbered('6.2', 'rule', 4),
  ...numbered('9', 'rule', 4),
]

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
