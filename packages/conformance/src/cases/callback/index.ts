import type { ConformanceCase } from '../../conformance-case.ts'
import { deliveryCases } from './delivery.ts'
import { eventCases } from './events.ts'
import { formCases } from './form.ts'
import { signatureCases } from './signature.ts'

/** The callback to the publisher (Spec 6.2). */
export const callbackCases: readonly ConformanceCase[] = [
  ...formCases,
  ...eventCases,
  ...deliveryCases,
  ...signatureCases,
]
