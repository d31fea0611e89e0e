import { errorStatus, type FieldIssue, validationError } from '@lead-distribution/contract'
import type { Refusal } from '@lead-distribution/http'
import { type BrokenTenant, whatToDo } from '../tenants/broken-tenants.ts'

/** The error codes of the control plane that the service does not have, with their HTTP status. */
export const controlErrorStatus = {
  forbidden: 403,
  tenant_exists: 409,
  tenant_stays: 409,
  not_distributed: 409,
  too_many: 409,
  tenant_broken: 503,
  too_many_requests: 429,
  service_unavailable: 503,
} as const

/** When the control plane answers each error code. */
export const controlErrorNotes: Readonly<Record<string, string>> = {
  validation_error: 'a field is unknown, missing, or has a value that it must not have; `details` lists every issue.',
  malformed_json: 'the body is not JSON.',
  unauthorized: 'the token is missing, wrong, or was revoked.',
  forbidden:
    'a page of another origin sent the request, by its `Sec-Fetch-Site` or `Origin`; without tokens, the `Host` is not of this machine; with tokens, this one is of another tenant, only reads, or is not the admin token.',
  not_found: 'what the path names does not exist.',
  tenant_exists: 'a tenant has this name already.',
  tenant_stays: 'the tenant `demo` cannot be deleted.',
  not_distributed: 'no advertiser has the lead.',
  too_many: 'the limit of their number is reached.',
  tenant_broken: 'what is stored of the tenant cannot be read; `message` says what, and what to do.',
  too_many_requests: 'as many calls of the tenant wait, or as many streams are open, as may at once; try again later.',
  payload_too_large: 'the body is larger than 1 MiB.',
  unsupported_media_type: 'the body is not declared as JSON.',
  internal_error: 'the sandbox failed.',
  service_unavailable: 'the sandbox cannot store anything now, has too many requests in flight, or is closing.',
}

const statusOf = { ...errorStatus, ...controlErrorStatus }

/** A refusal of the control plane, in the shape of 2.13. */
export function controlError(error: keyof typeof statusOf, message: string): Refusal {
  return { status: statusOf[error], body: { error, message } }
}

/** The refusal of a name that no tenant has. */
export const noSuchTenant = controlError(
  'not_found',
  'No tenant has this name. To list them: GET /_sandbox/v1/tenants, or lead-sandbox tenants list.',
)

/** The refusal of a tenant that could not be opened. */
export function refuseBroken({ tenant, reason }: BrokenTenant): Refusal {
  return controlError('tenant_broken', `The tenant ${tenant} is broken: ${reason}. ${whatToDo(tenant)}`)
}

/** The refusal of fields that no shape can judge. */
export function refuseFields(...details: FieldIssue[]): Refusal {
  return validationError(details)
}

/** The refusal of something that a tenant does not have, such as `lead`. */
export function noSuch(thing: string): Refusal {
  return controlError('not_found', `The tenant has no ${thing} of this id.`)
}
