export * from './account.ts'
export * from './callbacks.ts'
export type {
  AdvertiserNetwork,
  Created,
  Decision,
  DecisionPorts,
  FindForcedOutcome,
  ForcedOutcome,
  Offer,
  OfferReply,
  Rejected,
  Undecided,
} from './decide.ts'
export * from './duration.ts'
export * from './lead-record.ts'
export * from './ports.ts'
export * from './profiles.ts'
export * from './read-lead.ts'
export * from './report.ts'
export { ageOn } from './rules/age-restriction.ts'
export type { RefusedAgo } from './rules/duplicate-submission.ts'
export * from './settings.ts'
export * from './submit-lead.ts'
