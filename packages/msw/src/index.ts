/**
 * The lead distribution sandbox in process, with or without msw.
 * @module @lead-distribution/msw
 */

export {
  type Account,
  type ConnectionErrorCode,
  ControlError,
  type Tenant,
  type TenantControl,
} from '@lead-distribution/control-client/core'
export type { OnCallback } from './callback-dialer.ts'
export { createLeadSandbox, type LeadSandbox, type SandboxFetch } from './lead-sandbox.ts'
export type { LeadTenant } from './open-sandbox.ts'
export type { LeadSandboxOptions, TenantOptions } from './options.ts'
