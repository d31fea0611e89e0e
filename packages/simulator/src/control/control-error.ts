import { type FieldIssue, statusOfCode, validationError } from '@lead-distribution/contract'
import type { Refusal } from '@lead-distribution/http'
import { type BrokenTenant, whatToDo } from '../tenants/broken-tenants.ts'

/** The control plane's own error codes, with their HTTP status. */
export const controlErrorStatus = {
  tenant_exists: 409,
  tenant_stays: 409,
  not_distributed: 409,
  too_many: 409,
  tenant_broken: 503,
  too_many_requests: 429,
} as const

export const controlErrorNotes: Readonly<Record<string, string>> = {
  validation_error: 'a field is unknown, missing or invalid; `details` lists every issue.',
  malformed_json: 'the body is not valid JSON.',
  unauthorized: 'the token is missing, wrong or revoked.',
  forbidden:
    'a page of another origin sent the request, according to `Sec-Fetch-Site` or `Origin`; without tokens, `Host` does not name this machine, or the request came through a proxy; with tokens, the token belongs to another tenant, is read-only, or is not the admin token.',
  not_found: 'the resource does not exist.',
  tenant_exists: 'a tenant already has this name.',
  tenant_stays: 'the tenant `demo` cannot be deleted.',
  not_distributed: 'no advertiser has the lead.',
  too_many: 'the limit is reached.',
  tenant_broken: 'the stored tenant cannot be read; `message` explains why, and what to do.',
  too_many_requests: 'too many requests of the tenant are waiting, or too many streams are open; try again later.',
  payload_too_large: 'the body is larger than 1 MiB.',
  unsupported_media_type: 'the body is not declared as JSON.',
  internal_error: 'the sandbox failed.',
  service_unavailable: 'the sandbox cannot write to its storage, or is closing.',
  overloaded: 'too many requests are in flight; this one was not processed.',
}

const statusOf = { ...statusOfCode, ...controlErrorStatus }

/** Returns a control plane error in the shape of 2.13. `tooManyAtOnce` makes a `429`, `refuseUnavailable` a `503`. */
export function controlError(
  error: Exclude<keyof typeof statusOf, 'too_many_requests' | 'service_unavailable' | 'overloaded'>,
  message: string,
): Refusal {
  return { status: statusOf[error], body: { error, message } }
}

export const noSuchTenant = controlError(
  'not_found',
  'No tenant has this name. To list them: GET /_sandbox/v1/tenants, or lead-sandbox tenants list.',
)

export function refuseBroken({ tenant, reason }: BrokenTenant): Refusal {
  return controlError('tenant_broken', `The tenant ${tenant} is broken: ${reason}. ${whatToDo(tenant)}`)
}

/** Returns the error for fields that a shape alone can't validate. */
export function refuseFields(...details: FieldIssue[]): Refusal {
  return validationError(details)
}

/** Returns the error for an unknown id, such as that of a `lead`. */
export function noSuch(thing: string): Refusal {
  return controlError('not_found', `The tenant has no ${thing} with this id.`)
}
