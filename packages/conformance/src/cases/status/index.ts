import type { ConformanceCase } from '../../conformance-case.ts'
import { keyCases, methodCases } from './access.ts'
import { wordCases, wrongCases } from './bodies.ts'
import { leadCases, repeatCases } from './lead.ts'

/** The status update by body (Spec 4.2). */
export const statusCases: readonly ConformanceCase[] = [
  ...methodCases,
  ...wordCases,
  ...wrongCases,
  ...leadCases,
  ...repeatCases,
  ...keyCases,
]
