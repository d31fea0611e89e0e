import type { ConformanceCase } from '../../conformance-case.ts'
import { keyCases } from './keys.ts'
import { leadCases } from './lead.ts'
import { methodCases } from './methods.ts'
import { repeatCases } from './repeats.ts'
import { wordCases } from './words.ts'
import { wrongCases } from './wrong.ts'

/** The status update by body (Spec 4.2). */
export const statusCases: readonly ConformanceCase[] = [
  ...methodCases,
  ...wordCases,
  ...wrongCases,
  ...leadCases,
  ...repeatCases,
  ...keyCases,
]
