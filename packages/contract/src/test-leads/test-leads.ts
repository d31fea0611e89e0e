import { keyHeader, type LeadSubmission, maxBodyBytes, type rejectionLeads, sandboxKeyPrefix } from '../index.ts'
import type { LeadChanges } from './lead-changes.ts'
import type { Scenario } from './scenarios.ts'

/**
 * Builds a lead. Changes apply last: they can undo what makes the outcome.
 * @throws Error the account's criteria cannot give the outcome; the message names what to change in them.
 * @category Testing
 */
export type BuildLead = (changes?: LeadChanges) => LeadSubmission

/**
 * Builds two leads of one customer, to be submitted in this order. Changes are made to both.
 * @category Testing
 */
export type BuildPair = (changes?: LeadChanges) => LeadPair

/**
 * Builds a whole request around a lead.
 * @category Testing
 */
export type BuildRequest = (changes?: LeadChanges) => TestRequest

/** A lead for every rejection. */
export type RejectedLeads = {
  readonly [Name in keyof typeof rejectionLeads]: (typeof rejectionLeads)[Name] extends { readonly after: string }
    ? BuildPair
    : BuildLead
}

/**
 * A lead for every outcome, reason and error of `POST /lead`, by real data: nothing is forced. Each call builds a new
 * customer. A call throws if the account's criteria cannot give the outcome; the error names what to change in them.
 * @category Testing
 */
export interface TestLeads extends RejectedLeads {
  /** An advertiser accepts it: the smallest lead that is valid under every interpretation of the specification. */
  readonly distributed: BuildLead
  /** It passes the rules, and no advertiser accepts it. */
  readonly new: BuildLead
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
  /** A publisher other than that of the key. */
  readonly publisherMismatch: BuildLead
  /** An error of the service: no data causes one, so this forces it by the scenario `http_500`. */
  readonly internalError: BuildLead
  /** A valid lead whose e-mail address selects a scenario of a sandbox. */
  readonly scenario: (scenario: Scenario, changes?: LeadChanges) => LeadSubmission
}

/**
 * A request of `POST /lead` with headers and a body.
 * @category Testing
 */
export interface TestRequest {
  /** The headers that it sets: `content-type` always, `apikey` only where that is the point. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as it goes out. */
  readonly body: string
}

/**
 * A lead that is submitted, and one after it that has the outcome.
 * @category Testing
 */
export type LeadPair = readonly [first: LeadSubmission, second: LeadSubmission]

/**
 * Any test lead: a lead, two of them in order, or a whole request.
 * @category Testing
 */
export type TestLead = LeadSubmission | LeadPair | TestRequest

/**
 * Returns the requests that submit a test lead, in order; the last one has the outcome. The sender adds the `apikey` where
 * their headers have none.
 * @example
 * ```ts
 * import { createTestLeads, requestsOf } from '@lead-distribution/control-client'
 *
 * for (const { headers, body } of requestsOf(createTestLeads(account).malformedJson()))
 *   await fetch(`${account.base_url}/lead`, { method: 'POST', headers: { apikey: publisherKey, ...headers }, body })
 * ```
 * @category Testing
 */
export function requestsOf(testLead: TestLead): readonly TestRequest[] {
  if (isPair(testLead)) return testLead.map(jsonRequest)
  return 'headers' in testLead ? [testLead] : [jsonRequest(testLead)]
}

/** Returns the request that submits a lead. */
function jsonRequest(lead: LeadSubmission): TestRequest {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(lead) }
}

/** Returns a request whose body breaks off. */
export function malformed(lead: LeadSubmission): TestRequest {
  const request = jsonRequest(lead)
  return { ...request, body: request.body.slice(0, -1) }
}

/** Returns a request with a key that was issued to no account. */
export function withUnknownKey(lead: LeadSubmission): TestRequest {
  const { headers, body } = jsonRequest(lead)
  return { headers: { ...headers, [keyHeader]: `${sandboxKeyPrefix}pub_that_nobody_has` }, body }
}

/** Returns a request with one byte more than the service reads. */
export function oversized(lead: LeadSubmission): TestRequest {
  const request = jsonRequest(lead)
  return { ...request, body: request.body.padEnd(maxBodyBytes + 1) }
}

/** Returns a request that does not declare its body as JSON. */
export function withoutJsonType(lead: LeadSubmission): TestRequest {
  return { headers: { 'content-type': 'text/plain' }, body: JSON.stringify(lead) }
}

function isPair(testLead: TestLead): testLead is LeadPair {
  return Array.isArray(testLead)
}
