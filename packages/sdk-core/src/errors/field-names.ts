import type { FieldIssue } from '@lead-distribution/contract'

// A reply may put anything into `field`; only paths that begin with a field of a request are repeated.
const path =
  /^(body|product_id|publisher_id|customer|product_data|consents|tracking|lead_id|status|advertiser_id|metadata|token|event|ref)(\.\w{1,40}){0,6}$/

/** The fields of some issues for a message, at most five. */
export function fieldNames(issues: readonly FieldIssue[]): string {
  const names = issues.map(issue => issue.field).filter(name => path.test(name))
  return [...new Set(names)].slice(0, 5).join(', ') || 'the request'
}
