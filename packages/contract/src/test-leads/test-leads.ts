import { keyHeader, type LeadSubmission, maxBodyBytes, type rejectionLeads, sandboxKeyPrefix } from '../index.ts'
import type { LeadChanges } from './lead-changes.ts'
import type { Scenario } from './scenarios.ts'

/**
 * Builds a lead. Changes apply last, so they can undo the outcome.
 * @throws Error if the account's criteria can't produce the outcome. The message says which criteria to change.
 * @category Testing
 */
export type BuildLead = (changes?: LeadChanges) => LeadSubmission

/**
 * Builds two leads of one customer, to submit in this order. Changes apply to both.
 * @category Testing
 */
export type BuildPair = (changes?: LeadChanges) => LeadPair

/**
 * Builds a complete request around a lead.
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
 * A lead for every outcome, reason and error of `POST /lead`, caused by real data: nothing is forced. Each call builds
 * a new customer. A call throws if the account's criteria can't produce the outcome; the error says which criteria to
 * change.
 * @category Testing
 */
export interface TestLeads extends RejectedLeads {
  /** Accepted by an advertiser: the smallest lead that is valid under every interpretation of the specification. */
  readonly distributed: BuildLead
  /** Passes the rules, but no advertiser accepts it. */
  readonly new: BuildLead
  /** An amount below the minimum. */
  readonly validationError: BuildLead
  /** A truncated body. */
  readonly malformedJson: BuildRequest
  /** A key that was never issued. */
  readonly unauthorized: BuildRequest
  /** A body that is one byte larger than the limit. */
  readonly payloadTooLarge: BuildRequest
  /** A body that is not declared as JSON. */
  readonly unsupportedMediaType: BuildRequest
  /** A publisher other than the key's. */
  readonly publisherMismatch: BuildLead
  /** An error of the service. No data causes one, so the scenario `http_500` forces it. */
  readonly internalError: BuildLead
  /** A valid lead with an e-mail address that selects a sandbox scenario. */
  readonly scenario: (scenario: Scenario, changes?: LeadChanges) => LeadSubmission
}

/**
 * A `POST /lead` request with headers and a body.
 * @category Testing
 */
export interface TestRequest {
  /** The headers to set: always `content-type`, and `apikey` only if the key causes the outcome. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as sent. */
  readonly body: string
}

/**
 * A first lead, and a second one that has the outcome.
 * @category Testing
 */
export type LeadPair = readonly [first: LeadSubmission, second: LeadSubmission]

/**
 * Any test lead: a lead, two leads in order, or a complete request.
 * @category Testing
 */
export type TestLead = LeadSubmission | LeadPair | TestRequest

/**
 * Returns the requests that submit a test lead, in order; the last one has the outcome. If a request has no `apikey`
 * header, the sender adds it.
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

/** Returns a request with a truncated body. */
export function malformed(lead: LeadSubmission): TestRequest {
  const request = jsonRequest(lead)
  return { ...request, body: request.body.slice(0, -1) }
}

/** Returns a request with a key that was never issued. */
export function withUnknownKey(lead: LeadSubmission): TestRequest {
  const { headers, body } = jsonRequest(lead)
  return { headers: { ...headers, [keyHeader]: `${sandboxKeyPrefix}pub_that_nobody_has` }, body }
}

/** Returns a request that is one byte larger than the limit. */
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
