import type { ConformanceCase } from '../conformance-case.ts'
import { callbackCases } from './callback/index.ts'
import { leadCases } from './lead/index.ts'
import { pixelCases } from './pixel/index.ts'
import { statusCases } from './status/index.ts'

/** Every case: of submitting leads, of both ways to report on them, of callbacks. */
export const cases: readonly ConformanceCase[] = [...leadCases, ...statusCases, ...pixelCases, ...callbackCases]
