import type { ConformanceCase } from '../conformance-case.ts'
import { deliveryCases } from './callback/delivery.ts'
import { eventCases as callbackEventCases } from './callback/events.ts'
import { formCases } from './callback/form.ts'
import { keyCases, pathCases } from './lead/access.ts'
import { bodyCases } from './lead/bodies.ts'
import { fieldCases } from './lead/fields.ts'
import { identityCases, windowCases } from './lead/identity.ts'
import { openPointCases, orderCases } from './lead/order.ts'
import { rejectionCases, thresholdCases } from './lead/rejections.ts'
import { semanticCases } from './lead/semantic.ts'
import { submittingCases } from './lead/submitting.ts'
import { eventCases, parameterCases } from './pixel/events.ts'
import { repeatCases } from './pixel/repeats.ts'
import { tokenCases } from './pixel/tokens.ts'
import { accessCases } from './status/access.ts'
import { statusBodyCases } from './status/bodies.ts'

/** Every case: submitting leads (Spec 4.1), status updates (4.2), the pixel (4.3), and callbacks (6.2). */
export const cases: readonly ConformanceCase[] = [
  ...submittingCases,
  ...fieldCases,
  ...bodyCases,
  ...semanticCases,
  ...identityCases,
  ...windowCases,
  ...rejectionCases,
  ...thresholdCases,
  ...orderCases,
  ...openPointCases,
  ...keyCases,
  ...pathCases,
  ...accessCases,
  ...statusBodyCases,
  ...eventCases,
  ...repeatCases,
  ...tokenCases,
  ...parameterCases,
  ...formCases,
  ...callbackEventCases,
  ...deliveryCases,
]
