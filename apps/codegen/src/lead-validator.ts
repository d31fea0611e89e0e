import * as contract from '@lead-distribution/contract'
import { leadSubmission } from '@lead-distribution/contract/shapes'
import { validatorOfShape } from './validator-of-shape.ts'

/** The validator that finds what the shape of a lead finds, as a source file: it is shipped without zod. */
export function leadValidatorSource(): string {
  const { proseInterpretation } = contract
  const points = Object.keys(proseInterpretation) as (keyof contract.Interpretation)[]
  const strict = points.map(point => [point, leadSubmission({ ...proseInterpretation, [point]: 'required' })])
  const used = new Set<string>()
  const place = { loose: leadSubmission(proseInterpretation), strict: Object.fromEntries(strict) }
  const validator = validatorOfShape(place, contract, used)
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
