import { type RejectionName, rejections } from '@lead-distribution/contract'
import { judges } from './judges.generated.ts'
import type { Rule } from './rule.ts'

/** Every rule, in the order of judging: the first that rejects decides. */
export const rules: readonly Rule[] = (Object.keys(rejections) as RejectionName[]).map(name => ({
  ...rejections[name],
  judge: judges[name],
}))

/** The rules on the data. A forced outcome does not replace them, so that a wrong request stays one. */
export const semanticRules = rules.filter(({ kind }) => kind === 'semantic')

/** The rules of the business, all after the semantic ones. */
export const businessRules = rules.filter(({ kind }) => kind !== 'semantic')
