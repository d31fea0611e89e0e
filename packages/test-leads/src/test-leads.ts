import type { LeadSubmission } from '@lead-distribution/contract'
import { keyHeader, maxBodyBytes, sandboxKeyPrefix } from '@lead-distribution/contract'
import type { LeadChanges } from './lead-changes.ts'
import type { Scenario } from './scenarios.ts'

/**
 * Builds a lead. Changes apply last: they can undo what makes the outcome.
 * @throws Error the account's criteria cannot give the outcome; the message names what to change in them.
 */
export type BuildLead = (changes?: LeadChanges) => LeadSubmission

/** Builds two leads of one customer, to be submitted in this order. Changes are made to both. */
export type BuildPair = (changes?: LeadChanges) => LeadPair

/** Builds a whole request around a lead. */
export type BuildRequest = (changes?: LeadChanges) => TestRequest

/**
 * A lead for every outcome, reason and error of `POST /lead`, by real data: nothing is forced. Each call builds a new
 * customer. A call throws where the account's criteria cannot give the outcome; the error names what to change in them.
 */
export interface TestLeads {
  /** An advertiser accepts it: the smallest lead that is valid under every interpretation of the specification. */
  readonly distributed: BuildLead
  /** It passes the rules and no advertiser accepts it. */
  readonly new: BuildLead
  /** The second lead of a customer. */
  readonly customerAlreadyExists: BuildPair
  /** A lead too soon after a refused one. */
  readonly duplicateSubmission: BuildPair
  /** A loan or an occupation that the product does not allow. */
  readonly eligibilityFailed: BuildLead
  /** A customer too young, or too old where no age is too young. */
  readonly ageRestricted: BuildLead
  /** An income a euro below the product's threshold. */
  readonly incomeInsufficient: BuildLead
  /** A customer in a country that the product leaves out. */
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
  /** A key that was issued to no account. */
  readonly unauthorized: BuildRequest
  /** A body with one byte more than the service reads. */
  readonly payloadTooLarge: BuildRequest
  /** A body that is not declared as JSON. */
  readonly unsupportedMediaType: BuildRequest
  /** A product that does not exist. */
  readonly unknownProduct: BuildLead
  /** A publisher other than that of the key. */
  readonly publisherMismatch: BuildLead
  /** An error of the service: no data causes one, so this forces it by the scenario `http_500`. */
  readonly internalError: BuildLead
  /** A valid lead whose e-mail address selects a scenario of a sandbox. */
  readonly scenario: (scenario: Scenario, changes?: LeadChanges) => LeadSubmission
}

/** A request of `POST /lead` with headers and a body. */
export interface TestRequest {
  /** What it sets above the headers of a right request: `content-type` always, `apikey` only where that is the point. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as it goes out. */
  readonly body: string
}

/** A lead that is submitted, and one after it that has the outcome. */
export type LeadPair = readonly [first: LeadSubmission, second: LeadSubmission]

/** Anything of the catalogue: a lead, two of them in order, or a whole request. */
export type TestLead = LeadSubmission | LeadPair | TestRequest

/**
 * The requests that submit a test lead, in order; the last one has the outcome. The sender adds the `apikey` where
 * their headers have none.
 * @example
 * ```ts
 * import { createTestLeads, requestsOf } from '@lead-distribution/control-client'
 *
 * for (const { headers, body } of requestsOf(createTestLeads(account).malformedJson()))
 *   await fetch(`${account.base_url}/lead`, { method: 'POST', headers: { apikey: publisherKey, ...headers }, body })
 * ```
 */
export function requestsOf(testLead: TestLead): readonly TestRequest[] {
  if (isPair(testLead)) return testLead.map(jsonRequest)
  return 'headers' in testLead ? [testLead] : [jsonRequest(testLead)]
}

/** The request that submits a lead. */
function jsonRequest(lead: LeadSubmission): TestRequest {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(lead) }
}

/** A request whose body breaks off. */
export function malformed(lead: LeadSubmission): TestRequest {
  const request = jsonRequest(lead)
  return { ...request, body: request.body.slice(0, -1) }
}

/** A request with a key that was issued to no account. */
export function withUnknownKey(lead: LeadSubmission): TestRequest {
  const { headers, body } = jsonRequest(lead)
  return { headers: { ...headers, [keyHeader]: `${sandboxKeyPrefix}pub_that_nobody_has` }, body }
}

/** A request with one byte more than is read. */
export function oversized(lead: LeadSubmission): TestRequest {
  const request = jsonRequest(lead)
  return { ...request, body: request.body.padEnd(maxBodyBytes + 1) }
}

/** A request that does not call its body JSON. */
export function withoutJsonType(lead: LeadSubmission): TestRequest {
  return { headers: { 'content-type': 'text/plain' }, body: JSON.stringify(lead) }
}

function isPair(testLead: TestLead): testLead is LeadPair {
  return Array.isArray(testLead)
}
