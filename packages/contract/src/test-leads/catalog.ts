import {
  type ErrorCode,
  errorStatus,
  type LeadStatus,
  type Rejection,
  type RejectionName,
  type RejectionReason,
  rejections,
} from '../index.ts'
import type { TestLeads } from './test-leads.ts'

/** The response of `POST /lead` to a test lead: an outcome (2.12), or an error (2.13) with its HTTP status. */
export type Reached =
  | { readonly http: 200; readonly status: Exclude<LeadStatus, 'rejected'> }
  | { readonly http: 200; readonly status: 'rejected'; readonly rejection_reason: RejectionReason }
  | { readonly http: number; readonly error: ErrorCode }

/** A test lead and its outcome. */
export interface TestLeadEntry {
  /** The {@link TestLeads} function that builds it. */
  readonly name: Exclude<keyof TestLeads, 'scenario'>
  /** The response to it. */
  readonly reaches: Reached
  /** The settings required for that response. */
  readonly settings?: Readonly<Record<string, string>>
  /** The path of the relevant criteria in the account; absent if the account does not affect the outcome. */
  readonly criteria?: string
  /** The reason for that response, in one sentence. */
  readonly because: string
}

const created = (status: 'new' | 'distributed'): Reached => ({ http: 200, status })
const rejected = (rejection_reason: RejectionReason): Reached => ({ http: 200, status: 'rejected', rejection_reason })
const refused = (error: ErrorCode): Reached => ({ http: errorStatus[error], error })
const names = Object.keys(rejections) as RejectionName[]

/** Point 3 of the open points: the catalog has both interpretations of a semantic rejection. */
const rejectedLeads = names.map((name): TestLeadEntry => {
  const { reason, kind, because, published }: Rejection = rejections[name]
  return {
    name,
    reaches: rejected(reason),
    ...(kind === 'semantic' && { settings: { semantic_refusals: 'rejected_200' } }),
    ...(published !== undefined && { criteria: published }),
    because,
  }
})

const refusedLeads = names.flatMap((name): TestLeadEntry[] => {
  const { reason, kind, because } = rejections[name]
  if (kind !== 'semantic') return []
  return [{ name, reaches: refused(reason), because }]
})

/** Every test lead with its outcome. The guide's table is generated from it, and tests send every entry. */
export const testLeadCatalog: readonly TestLeadEntry[] = [
  {
    name: 'distributed',
    reaches: created('distributed'),
    criteria: 'advertisers[].criteria',
    because: "The amount and the term are inside an advertiser's ranges, and it accepts the purpose.",
  },
  {
    name: 'new',
    reaches: created('new'),
    criteria: 'advertisers[].criteria',
    because: 'The product allows the loan, but no advertiser accepts its amount, or else its term, purpose or income.',
  },
  ...rejectedLeads,
  {
    name: 'validationError',
    reaches: refused('validation_error'),
    because: 'The amount is below the minimum.',
  },
  { name: 'malformedJson', reaches: refused('malformed_json'), because: 'The body is truncated.' },
  {
    name: 'unauthorized',
    reaches: refused('unauthorized'),
    because: "The request's key was never issued.",
  },
  {
    name: 'payloadTooLarge',
    reaches: refused('payload_too_large'),
    because: 'The body is one byte larger than the limit.',
  },
  {
    name: 'unsupportedMediaType',
    reaches: refused('unsupported_media_type'),
    because: "The request's `content-type` is not JSON.",
  },
  ...refusedLeads,
  {
    name: 'publisherMismatch',
    reaches: refused('publisher_mismatch'),
    criteria: 'publisher.publisher_id',
    because: "The lead names a publisher other than the key's.",
  },
  {
    name: 'internalError',
    reaches: refused('internal_error'),
    because: 'No data makes the service fail, so the e-mail address selects the scenario `http_500`.',
  },
]
