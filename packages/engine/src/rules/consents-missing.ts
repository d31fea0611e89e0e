import { requiredConsents } from '@lead-distribution/contract'
import type { Judge } from './rule.ts'

/** @spec 2.12/consents_missing */
export const consentsMissing: Judge = ({ lead }) => {
  const accepted = lead.consents.entries.filter(entry => entry.accepted).map(entry => entry.type)
  return {
    passes: requiredConsents.every(type => accepted.includes(type)),
    input: accepted,
    threshold: requiredConsents,
    hint: 'Send consents.entries of the types terms and privacy_policy, each with accepted: true.',
  }
}
