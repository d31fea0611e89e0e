import { told } from '../expectations/told.ts'
import type { Reply } from '../target.ts'
import type { ReadingOf } from './finding.ts'
import { probeOf } from './probe.ts'

/** Point 3 (Spec 4.1, 7 against 2.12): how are declined consents and an unknown product refused? */
export const semanticRefusals = probeOf('semantic_refusals', [], async target => {
  const declined = { 'consents.entries.1.accepted': false, 'consents.entries.1.accepted_at': null }
  const consents = await target.submit(target.submission(declined))
  const product = await target.submit(target.submission({ product_id: crypto.randomUUID() }))
  const [reading, other] = [readingOf(consents), readingOf(product)]
  if (reading === undefined || reading !== other)
    return [undefined, `Declined consents are answered ${told(consents)}, an unknown product ${told(product)}.`]
  const how = reading === 'http_422' ? 'a 422' : 'a 200 with status rejected'
  return [reading, `Declined consents and an unknown product are both ${how}.`]
})

function readingOf({ status, json }: Reply): ReadingOf['semantic_refusals'] | undefined {
  if (status === 422) return 'http_422'
  return status === 200 && json?.status === 'rejected' ? 'rejected_200' : undefined
}
