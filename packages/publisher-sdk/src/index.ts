export type * from '@lead-distribution/contract'
// The words and bounds that a form is made from.
export {
  companySectors,
  educationLevels,
  financialInstrumentTypes,
  genders,
  housingTenures,
  housingTypes,
  loanAmountBounds,
  loanPurposes,
  loanTermBounds,
  maritalStatuses,
  occupationTypes,
  rejectionReasons,
  requiredConsents,
  verificationMethods,
  verificationStatuses,
} from '@lead-distribution/contract'
export {
  AbortedError,
  type ApiKey,
  AuthError,
  type BackOff,
  BadRequestError,
  type CallAttempt,
  type CallEvent,
  type CallEventListener,
  type CallLimits,
  type CallMeta,
  type CallOptions,
  type ClientOptions,
  ConfigError,
  type Environment,
  type Fetch,
  LeadSdkError,
  type LeadSdkErrorCode,
  NotSentError,
  type Open,
  OutcomeUnknownError,
  ProtocolError,
  RateLimitError,
  type ReplyMeta,
  type Sent,
  type ServiceAddress,
  type SharedOptions,
  ValidationError,
} from '@lead-distribution/sdk-core'
export { createPublisher, type Publisher, type PublisherOptions, type SubmitOptions } from './submit/publisher.ts'
export { redirectResponse } from './submit/redirect-response.ts'
export type { RedirectUrl } from './submit/redirect-url.ts'
export type { StandardIssue, StandardSchema } from './submit/standard-schema.ts'
export type { Distributed, New, Rejected, SubmitResult, Unrecognized } from './submit/submit-result.ts'
export {
  createLeadValidator,
  type LeadCheck,
  type LeadReading,
  type LeadValidator,
  validateLead,
} from './submit/validate-lead.ts'
