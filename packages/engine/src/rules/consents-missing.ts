import { requiredConsents } from '@lead-distribution/contract'
import type { Judge } from './rule.ts'

/** @spec 2.12/consents_missing */
export const consentsMissing: Judge = ({ lead }) => {
  const { entries } = lead.consents
  // A consent that the same list both gives and refuses is not accepted.
  const isRefused = (type: string) => entries.some(entry => entry.type === type && !entry.accepted)
  const accepted = entries.map(({ type }) => type).filter(type => !isRefused(type))
  return {
    passes: requiredConsents.every(type => accepted.includes(type)),
    input: accepted,
    threshold: requiredConsents,
    hint: 'Send consents.entries of the types terms and privacy_policy, each with accepted: true and none with accepted: false.',
  }
}
