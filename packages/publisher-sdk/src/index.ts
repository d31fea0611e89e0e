/**
 * Submit leads and handle their results.
 * @module @lead-distribution/publisher-sdk
 */

// Leads: validation, their parts, and the values and bounds for a form.
export type {
  ConsentMetadata,
  Consents,
  Customer,
  FieldIssue,
  LeadSubmission,
  LoanProductData,
  PersonalData,
  Profile,
  RejectionReason,
  Tracking,
} from '@lead-distribution/contract'
export * from '@lead-distribution/sdk-core/public'
export { type ConsentRecord, createConsents } from './lead/create-consents.ts'
export { createTracking } from './lead/create-tracking.ts'
export { leadBounds, leadChoices } from './lead/lead-values.ts'
export { type LeadCheck, validateLead } from './lead/validate-lead.ts'
// The client and its results.
export {
  createPublisher,
  type Lead,
  type Publisher,
  type PublisherOptions,
  type SubmitOptions,
} from './submit/publisher.ts'
export {
  type Distributed,
  type New,
  type RedirectUrl,
  type Rejected,
  redirectResponse,
  type SubmitResult,
  type Unknown,
  type Unrecognized,
} from './submit/submit-result.ts'
