/** The error codes of the control plane that the service does not have, with their HTTP status. */
export const controlErrorStatus = {
  forbidden: 403,
  tenant_exists: 409,
  tenant_stays: 409,
  not_distributed: 409,
  too_many: 409,
} as const

/** When the control plane answers each error code. */
export const controlErrorNotes: Readonly<Record<string, string>> = {
  validation_error: 'a field is unknown, missing, or has a value that it must not have; `details` lists every issue.',
  malformed_json: 'the body is no JSON.',
  unauthorized: 'the token is missing or wrong.',
  forbidden: 'the `Host` or the `Origin` is not of this machine.',
  not_found: 'what the path names is not there.',
  tenant_exists: 'a tenant has this name already.',
  tenant_stays: 'the tenant `demo` is always there.',
  not_distributed: 'no advertiser has the lead.',
  too_many: 'there are as many of them as there can be.',
  payload_too_large: 'the body is larger than 1 MiB.',
  unsupported_media_type: 'the body is not declared as JSON.',
  internal_error: 'the sandbox failed.',
}
