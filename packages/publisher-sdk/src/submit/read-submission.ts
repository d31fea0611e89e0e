import type { Answered } from '@lead-distribution/sdk-core'
import { isRedirectUrl } from './redirect-url.ts'
import type { SubmitResult } from './submit-result.ts'

/** Whether an error reply is a rejection after all: a `422` of missing consents or an unknown product (Spec 4.1). */
export function isRejection(status: number, body: Record<string, unknown>): boolean {
  return status === 422 && (body.error === 'consents_missing' || body.error === 'invalid_product')
}

/** Reads the reply of `POST /lead` (Spec 2.12). `resubmitted`: the caller named an earlier attempt. */
export function readSubmission({ status: http, body, meta }: Answered, resubmitted: boolean): SubmitResult {
  const status = textOf(body.status)
  const lead_id = textOf(body.lead_id)
  const replied = { meta, raw: body }
  if (isRejection(http, body)) {
    const rejection_reason = textOf(body.error)
    return {
      outcome: 'rejected',
      lead_id,
      rejection_reason,
      via: 'http_422',
      mayBeOwnEarlierAttempt: false,
      ...replied,
    }
  }
  if (status === 'rejected') {
    const rejection_reason = textOf(body.rejection_reason)
    const mayBeOwnEarlierAttempt = resubmitted && rejection_reason === 'customer_already_exists'
    return { outcome: 'rejected', lead_id, rejection_reason, via: 'http_200', mayBeOwnEarlierAttempt, ...replied }
  }
  if (status === 'new' && lead_id !== null) return { outcome: 'new', lead_id, ...replied }
  if (status === 'distributed' && lead_id !== null && isRedirectUrl(body.redirect_url)) {
    return { outcome: 'distributed', lead_id, redirect_url: body.redirect_url, ...replied }
  }
  return { outcome: 'unrecognized', lead_id, status, ...replied }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
