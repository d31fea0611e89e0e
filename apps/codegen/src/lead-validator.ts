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

/** What a lead may hold, as a source file: advice about misspelt fields is shipped without zod, too. */
export function leadFieldsSource(): string {
  const fields = namesAndValues(describeShape(leadSubmission(contract.proseInterpretation)))
  return `// Generated from the shape of a lead by \`npm run generate\`. Change the shape instead.
import type { FieldDescription } from '@lead-distribution/contract'

/** The fields of a lead and their values, without formats and conditions: what misses these is refused. */
export const leadFields: FieldDescription = ${JSON.stringify(fields)}
`
}

function namesAndValues({ type, optional, nullable, values, items, fields }: contract.FieldDescription): object {
  const children = Object.entries(fields ?? {}).map(([name, field]) => [name, namesAndValues(field)])
  return {
    type,
    optional,
    nullable,
    values,
    ...(items && { items: namesAndValues(items) }),
    ...(fields && { fields: Object.fromEntries(children) }),
  }
}
