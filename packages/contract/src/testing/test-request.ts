import type { LeadSubmission } from '../lead/lead-submission.ts'
import { keyHeader, maxBodyBytes, sandboxKeyPrefix } from '../request.ts'

/** A request of `POST /lead` that is no matter of the lead alone. */
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

/** The requests that submit a test lead, in order; the last one has the outcome. The `apikey` is put beneath their headers by who sends them. */
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

/** A request with a key that nobody has. */
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
