import type { ConformanceCase } from '../../conformance-case.ts'
import { bodyCases } from './bodies.ts'
import { fieldCases } from './fields/field-cases.ts'
import { identityCases } from './identity.ts'
import { keyCases } from './keys.ts'
import { openReadingCases } from './open-readings.ts'
import { orderCases } from './order.ts'
import { pathCases } from './paths.ts'
import { rejectionCases } from './rejections.ts'
import { semanticCases } from './semantic.ts'
import { submittingCases } from './submitting.ts'
import { thresholdCases } from './thresholds.ts'
import { windowCases } from './window.ts'

/** The cases of `POST /lead`. */
export const leadCases: readonly ConformanceCase[] = [
  ...submittingCases,
  ...fieldCases,
  ...bodyCases,
  ...semanticCases,
  ...identityCases,
  ...rejectionCases,
  ...thresholdCases,
  ...orderCases,
  ...openReadingCases,
  ...windowCases,
  ...keyCases,
  ...pathCases,
]
