import type { ConformanceCase } from '../../conformance-case.ts'
import { deliveryCases } from './delivery.ts'
import { eventCases } from './events.ts'
import { formCases, signatureCases } from './form.ts'

/** The callback to the publisher (Spec 6.2). */
export const callbackCases: readonly ConformanceCase[] = [
  ...formCases,
  ...eventCases,
  ...deliveryCases,
  ...signatureCases,
]
