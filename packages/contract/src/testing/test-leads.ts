import type { LeadSubmission } from '../lead/lead-submission.ts'
import type { LeadChanges } from './lead-changes.ts'
import type { Scenario } from './scenario.ts'
import type { LeadPair, TestRequest } from './test-request.ts'

/** Builds a lead. Changes go above all else: they can undo what makes the outcome. */
export type BuildLead = (changes?: LeadChanges) => LeadSubmission

/** Builds two leads of one customer, to be submitted in this order. Changes are made to both. */
export type BuildPair = (changes?: LeadChanges) => LeadPair

/** Builds a whole request around a lead. */
export type BuildRequest = (changes?: LeadChanges) => TestRequest

/**
 * A lead for every outcome, reason and error of `POST /lead`, by real data: nothing is forced. Each call is a customer
 * of its own. A call throws where the account's criteria cannot give the outcome, and says what to change in them.
 */
export interface TestLeads {
  /** An advertiser takes it: the smallest lead that every reading of the specification accepts. */
  readonly distributed: BuildLead
  /** It passes the rules and no advertiser takes it. */
  readonly new: BuildLead
  /** The second lead of a customer. */
  readonly customerAlreadyExists: BuildPair
  /** A lead too soon after a refused one. */
  readonly duplicateSubmission: BuildPair
  /** A loan or an occupation that the product is not given for. */
  readonly eligibilityFailed: BuildLead
  /** A customer who is too young, or too old where nobody is too young. */
  readonly ageRestricted: BuildLead
  /** An income a euro below the product's threshold. */
  readonly incomeInsufficient: BuildLead
  /** A customer who lives in a country that the product leaves out. */
  readonly geographicRestriction: BuildLead
  /** The privacy policy is not accepted. */
  readonly consentsMissing: BuildLead
  /** A product that is switched off. */
  readonly invalidProduct: BuildLead
  /** A customer on the account's blacklist. */
  readonly blacklisted: BuildLead
  /** Consents that were given from a network that counts as fraud. */
  readonly fraudSuspected: BuildLead
  /** An amount below what can be applied for. */
  readonly validationError: BuildLead
  /** A body that breaks off. */
  readonly malformedJson: BuildRequest
  /** A key that nobody has. */
  readonly unauthorized: BuildRequest
  /** A body with one byte more than is read. */
  readonly payloadTooLarge: BuildRequest
  /** A body that is not called JSON. */
  readonly unsupportedMediaType: BuildRequest
  /** A product that is not there. */
  readonly unknownProduct: BuildLead
  /** A publisher that the key is not of. */
  readonly publisherMismatch: BuildLead
  /** A fault of the service: no data leads to one, so this plays the scenario `http_500`. */
  readonly internalError: BuildLead
  /** A right lead whose e-mail address asks a sandbox for a scenario. */
  readonly scenario: (scenario: Scenario, changes?: LeadChanges) => LeadSubmission
}
