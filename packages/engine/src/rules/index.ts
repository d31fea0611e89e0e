import { type RejectionName, rejections } from '@lead-distribution/contract'
import { judges } from './judges.generated.ts'
import type { Rule } from './rule.ts'

/** Every rule, in order: the first that rejects decides. */
export const rules: readonly Rule[] = (Object.keys(rejections) as RejectionName[]).map(name => ({
  ...rejections[name],
  judge: judges[name],
}))

/** The semantic rules. A forced outcome does not replace them, so that an invalid request stays invalid. */
export const semanticRules = rules.filter(({ kind }) => kind === 'semantic')

/** The business rules, after all semantic ones. */
export const businessRules = rules.filter(({ kind }) => kind !== 'semantic')
