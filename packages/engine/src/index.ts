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
export * from './lead-record.ts'
export * from './ports.ts'
export * from './report.ts'
export { ageOn } from './rules/age-restriction.ts'
export type { RefusedAgo } from './rules/duplicate-submission.ts'
export type { FieldValue } from './rules/rule.ts'
export * from './submit-lead.ts'
