import type { LeadRecord } from '@lead-distribution/engine'
import { scenarioOfEmail } from '@lead-distribution/test-leads/scenarios'

/** The scenario that a kept lead came in by: the word that was played, else what its address names. */
export function scenarioOfLead({ trace, email }: LeadRecord): string | undefined {
  const played = trace.find(({ check }) => check === 'scenario')?.input
  return scenarioOfEmail(email) ?? (typeof played === 'string' ? played : undefined)
}
