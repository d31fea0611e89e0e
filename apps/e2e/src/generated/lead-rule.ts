import * as contract from '@lead-distribution/contract'
import { leadSubmission } from '@lead-distribution/contract/shapes'
import { ruleOfShape } from './rule-of-shape.ts'

/** Where the rule of a lead goes. */
export const leadRulePath = 'packages/contract/src/lead/lead-rule.generated.ts'

/** The rule that finds what the shape of a lead finds, as a source file: the check that is shipped without zod. */
export function leadRuleSource(): string {
  const { proseInterpretation } = contract
  const points = Object.keys(proseInterpretation) as (keyof contract.Interpretation)[]
  const strict = points.map(point => [point, leadSubmission({ ...proseInterpretation, [point]: 'required' })])
  const used = new Set<string>()
  const rule = ruleOfShape(
    { loose: leadSubmission(proseInterpretation), strict: Object.fromEntries(strict) },
    contract,
    used,
  )
  const [own, rules] = [(name: string) => name in contract, (name: string) => !(name in contract)]
  const names = (belongs: (name: string) => boolean) => [...used].filter(belongs).sort().join(', ')
  return `// Made from the shape of a lead by \`npm run generate\`. Change it there.
import { ${names(own)} } from '../index.ts'
import { ${names(rules)}, type Rule } from '../rule.ts'

/** What the shape \`leadSubmission\` says, as a rule. */
export const leadRule = (): Rule =>
  ${rule}
`
}
