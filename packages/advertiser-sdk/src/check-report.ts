import { type FieldIssue, isUuid, type StatusMetadata } from '@lead-distribution/contract'
import { ConfigError, ValidationError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'

/** The body of a status report before it is checked. */
export interface ReportToCheck {
  status: string
  advertiser_id?: unknown
  metadata?: unknown
}

const knownFields = {
  status: 1,
  advertiser_id: 1,
  metadata: { amount: 1, term_months: 1 } satisfies Known<StatusMetadata>,
} satisfies Known<ReportToCheck>

/**
 * A status report as JSON text.
 * @throws ConfigError a field is unknown.
 * @throws ValidationError it fails the check, or JSON cannot carry it.
 */
export function reportBody(leadId: string, report: ReportToCheck, statuses: readonly string[] | undefined): string {
  let body = ''
  let issues: FieldIssue[]
  try {
    checkOptions('The report', report, knownFields)
    const { status, advertiser_id, metadata } = report ?? {}
    const plain = { status, advertiser_id, metadata }
    issues = reportIssues(leadId, plain, statuses)
    // What JSON makes of it counts, for that is sent: a getter may answer otherwise the second time.
    if (issues.length === 0) {
      body = JSON.stringify(plain)
      issues = reportIssues(leadId, JSON.parse(body), statuses)
    }
  } catch (error) {
    if (ConfigError.is(error)) throw error
    // A bigint, a circle, a getter that throws; the runtime's own error may repeat what is in the report.
    issues = [{ field: 'body', issue: 'must be what JSON can carry' }]
  }
  if (issues.length > 0) throw new ValidationError(issues)
  return body
}

/** What is wrong with a status report, field by field, as the service reports it. */ // Spec 4.2, 2.13
export function reportIssues(
  leadId: string,
  report: ReportToCheck,
  statuses: readonly string[] | undefined,
): FieldIssue[] {
  const { status, advertiser_id, metadata } = report ?? {}
  const issues: FieldIssue[] = []
  const expect = (fine: boolean, field: string, issue: string) => fine || issues.push({ field, issue })
  const required = status === undefined ? 'is required' : undefined
  const uuid = 'must be a UUID, such as 3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
  expect(isText(leadId) && isUuid(leadId), 'lead_id', uuid)
  if (statuses) expect(statuses.includes(status), 'status', required ?? `must be one of ${statuses.join(', ')}`)
  else
    expect(
      isText(status) && status !== '',
      'status',
      required ?? (isText(status) ? 'must not be empty' : 'must be a string'),
    )
  if (advertiser_id !== undefined) expect(isText(advertiser_id) && isUuid(advertiser_id), 'advertiser_id', uuid)
  if (metadata === undefined) return issues
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return [...issues, { field: 'metadata', issue: 'must be an object' }]
  const { amount, term_months } = metadata as StatusMetadata
  expect(amount === undefined || Number.isFinite(amount), 'metadata.amount', 'must be a number')
  expect(term_months === undefined || Number.isSafeInteger(term_months), 'metadata.term_months', 'must be an integer')
  return issues
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
