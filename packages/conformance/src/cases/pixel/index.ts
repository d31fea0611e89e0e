import type { ConformanceCase } from '../../conformance-case.ts'
import { eventCases, parameterCases } from './events.ts'
import { repeatCases } from './repeats.ts'
import { tokenCases } from './tokens.ts'

/** The status update by pixel (Spec 4.3). */
export const pixelCases: readonly ConformanceCase[] = [...eventCases, ...repeatCases, ...tokenCases, ...parameterCases]
