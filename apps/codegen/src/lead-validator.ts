import * as contract from '@lead-distribution/contract'
import { describeShape, leadSubmission } from '@lead-distribution/contract/shapes'
import { validatorOf } from './validator-of.ts'

/** The validator that finds what the shape of a lead finds, as a source file: it is shipped without zod. */
export function leadValidatorSource(): string {
  const { proseInterpretation } = contract
  const describe = (interpretation: contract.Interpretation) => describeShape(leadSubmission(interpretation))
  const points = Object.keys(proseInterpretation) as (keyof contract.Interpretation)[]
  const strict = points.map(point => [point, describe({ ...proseInterpretation, [point]: 'required' })])
  const used = new Set<string>()
  const place = { loose: describe(proseInterpretation), strict: Object.fromEntries(strict) }
  const validator = validatorOf(place, contract, used)
  const names = (isOfContract: boolean) =>
    [...used]
      .filter(name => name in contract === isOfContract)
      .sort()
      .join(', ')
  return `// Generated from the shape of a lead by \`npm run generate\`. Change the shape instead.
import { ${names(true)} } from '../index.ts'
import { ${names(false)}, type Validator } from '../validation/validator.ts'

/** The validator that finds what the shape \`leadSubmission\` finds. */
export const leadValidator = (): Validator =>
  ${validator}
`
}
