import type { Sandbox } from '@lead-distribution/simulator'
import { createTestLeads, type TestLeads } from '@lead-distribution/test-leads'
import type { OnCallback } from './callback-dialer.ts'
import { type Control, type ControlArguments, createControl } from './control.ts'

type Creation = ControlArguments<'createTenant'>

/** How a tenant is made: an account of its own. All of it may be left out. */
export interface TenantOptions {
  /** Its name: lower-case letters, digits, hyphens. By default `test-1`, `test-2` and so on. */
  readonly name?: string | undefined
  /** Equal seed and name give equal ids, keys and chance, run after run. Default `msw`. */
  readonly seed?: Creation['seed']
  /** Which reading of the specification it follows. Default `prose`. */
  readonly profile?: Creation['profile']
  /** Readings of single open points, by their names. */
  readonly settings?: Creation['settings']
  /** Where its clock stands still from the start, a date-time such as `2026-01-31T09:30:00Z`. By default it runs. */
  readonly frozenAt?: string | undefined
  /** Takes its callbacks in process. Without it they go to the tenant's inbox, which `control.showInbox()` shows. */
  readonly onCallback?: OnCallback | undefined
  /** The callback URL of its publisher. */
  readonly callbackUrl?: string | undefined
}

/** An account as the control plane shows it, keys and secrets included. */
export type Account = NonNullable<ReturnType<Sandbox['account']>>

/** An account of the sandbox and all that a test needs under its hand. */
export interface LeadTenant {
  /** The account as it stands now: base URL, keys, products and advertisers with their criteria, settings. */
  readonly account: Account
  /** Clock, faults, leads, callbacks and all else of the control plane. */
  readonly control: Control
  /** A lead for every outcome, reason and error, made for the account as it stands now: each call another customer. */
  readonly testLeads: TestLeads
  /** Forgets the account with all that it has. */
  close(): Promise<void>
}

/** What a tenant is shown by. */
export interface LeadTenantParts {
  readonly sandbox: Pick<Sandbox, 'account'>
  readonly handle: Sandbox['handle']
  readonly name: string
  readonly frozenAt: string | undefined
  readonly onClose: () => void
}

/** A tenant that is there, as its user sees it. */
export function createLeadTenant({ sandbox, handle, name, frozenAt, onClose }: LeadTenantParts): LeadTenant {
  const control = createControl(handle, name)
  const today = frozenAt === undefined ? {} : { today: new Date(frozenAt) }
  let catalogues = 0
  return {
    control,
    get account() {
      const account = sandbox.account(name)
      if (!account) throw new Error('The tenant is closed: open another one.')
      return account
    },
    get testLeads() {
      return createTestLeads(this.account, { tag: `${name}-${++catalogues}`, ...today })
    },
    async close() {
      onClose()
      if (sandbox.account(name)) await control.deleteTenant()
    },
  }
}
