import { isUuid } from '@lead-distribution/contract'
import type { CallResult } from '@lead-distribution/sdk-core'
import { isRedirectUrl } from './redirect-url.ts'
import type { SubmitResult } from './submit-result.ts'

/** Whether an error reply is a rejection after all: a `422` of missing consents or an unknown product (Spec 4.1). */
export function isRejection(status: number, body: Record<string, unknown>): boolean {
  return status === 422 && (body.error === 'consents_missing' || body.error === 'invalid_product')
}

/** Reads the reply of `POST /lead` (Spec 2.12). `resubmitted`: the client named an earlier attempt. */
export function readSubmission({ status: http, body, meta }: CallResult, resubmitted: boolean): SubmitResult {
  const status = textOf(body.status)
  const id = textOf(body.lead_id)
  // As the receiver of callbacks writes it, so that the one is found by the other.
  const lead_id = id && isUuid(id) ? id.toLowerCase() : id
  const replied = { meta, raw: body }
  const refused = isRejection(http, body)
  if (refused || status === 'rejected') {
    const rejection_reason = textOf(refused ? body.error : body.rejection_reason)
    const mayBeOwnEarlierAttempt = resubmitted && rejection_reason === 'customer_already_exists'
    const via = refused ? 'http_422' : 'http_200'
    return { outcome: 'rejected', lead_id, rejection_reason, via, mayBeOwnEarlierAttempt, ...replied }
  }
  if (lead_id !== null) {
    const { redirect_url } = body
    if (status === 'new') return { outcome: status, lead_id, ...replied }
    if (status === 'distributed' && isRedirectUrl(redirect_url))
      return { outcome: status, lead_id, redirect_url, ...replied }
  }
  return { outcome: 'unrecognized', lead_id, status, ...replied }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
