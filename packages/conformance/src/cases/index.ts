import type { ConformanceCase } from '../case.ts'
import { callbackCases } from './callbacks.ts'
import { customerCases } from './customers.ts'
import { keyCases } from './keys-and-paths.ts'
import { fieldCases } from './lead-fields.ts'
import { submissionCases } from './lead-submission.ts'
import { pixelCases } from './pixel.ts'
import { rejectionCases } from './rejections.ts'
import { statusCases } from './status-updates.ts'

/**
 * Every case: submitting leads (Spec 4.1), status updates (4.2), the pixel (4.3), and callbacks (6.2).
 * @category Testing
 */
export const cases: readonly ConformanceCase[] = [
  ...submissionCases,
  ...fieldCases,
  ...customerCases,
  ...rejectionCases,
  ...keyCases,
  ...statusCases,
  ...pixelCases,
  ...callbackCases,
]
