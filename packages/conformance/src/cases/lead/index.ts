import type { ConformanceCase } from '../../conformance-case.ts'
import { keyCases, pathCases } from './access.ts'
import { bodyCases } from './bodies.ts'
import { fieldCases } from './fields/field-cases.ts'
import { identityCases } from './identity.ts'
import { openPointCases, orderCases } from './order.ts'
import { rejectionCases, thresholdCases } from './rejections.ts'
import { semanticCases } from './semantic.ts'
import { submittingCases } from './submitting.ts'
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
  ...openPointCases,
  ...windowCases,
  ...keyCases,
  ...pathCases,
]
