import { ageRestriction } from './age-restriction.ts'
import { blacklisted } from './blacklisted.ts'
import { consentsMissing } from './consents-missing.ts'
import { customerAlreadyExists } from './customer-already-exists.ts'
import { duplicateSubmission } from './duplicate-submission.ts'
import { eligibilityFailed } from './eligibility-failed.ts'
import { fraudSuspected } from './fraud-suspected.ts'
import { geographicRestriction } from './geographic-restriction.ts'
import { incomeInsufficient } from './income-insufficient.ts'
import { productInactive, productUnknown } from './invalid-product.ts'
import type { Rule } from './rule.ts'

/** Every rule, in the order of judging: the first that refuses decides. */
export const rules: readonly Rule[] = [
  productUnknown,
  consentsMissing,
  productInactive,
  blacklisted,
  customerAlreadyExists,
  duplicateSubmission,
  fraudSuspected,
  ageRestriction,
  incomeInsufficient,
  geographicRestriction,
  eligibilityFailed,
]

/** The rules on what is sent: a forced outcome does not replace them, so that a wrong request stays one. */
export const semanticRules = rules.filter(({ refusal }) => refusal === 'semantic')

/** The rules of the business, all after the semantic ones. */
export const businessRules = rules.filter(({ refusal }) => refusal !== 'semantic')
