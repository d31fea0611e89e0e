// Generated from the list of rejections by `npm run generate`.
import type { RejectionName } from '@lead-distribution/contract'
import { ageRestricted } from './age-restriction.ts'
import { blacklisted } from './blacklisted.ts'
import { consentsMissing } from './consents-missing.ts'
import { customerAlreadyExists } from './customer-already-exists.ts'
import { duplicateSubmission } from './duplicate-submission.ts'
import { eligibilityFailed } from './eligibility-failed.ts'
import { fraudSuspected } from './fraud-suspected.ts'
import { geographicRestriction } from './geographic-restriction.ts'
import { incomeInsufficient } from './income-insufficient.ts'
import { invalidProduct, unknownProduct } from './invalid-product.ts'
import type { Judge } from './rule.ts'

export const judges: Readonly<Record<RejectionName, Judge>> = {
  unknownProduct,
  consentsMissing,
  invalidProduct,
  blacklisted,
  customerAlreadyExists,
  duplicateSubmission,
  fraudSuspected,
  ageRestricted,
  incomeInsufficient,
  geographicRestriction,
  eligibilityFailed,
}
