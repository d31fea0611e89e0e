/**
 * The lead distribution sandbox in process, with or without msw.
 * @module @lead-distribution/msw
 */

export { type Account, ControlError, type Tenant } from '@lead-distribution/control-client'
export type { OnCallback } from './callback-dialer.ts'
export { createLeadSandbox, type LeadSandbox, type SandboxFetch } from './lead-sandbox.ts'
export type { LeadSandboxOptions, TenantOptions } from './options.ts'
