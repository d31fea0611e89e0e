import { createTestLeads, type TestLeads } from '@lead-distribution/contract/test-leads'
import type { ControlReply } from '@lead-distribution/simulator'
import { createMethods, type Options, type Send } from './call-operation.ts'
import { type Account, createTenantControl, type TenantControl } from './tenant-control.ts'

/**
 * A tenant with its account: one isolated tenant per test, created in milliseconds.
 * @category Client
 */
export interface Tenant extends TenantControl {
  /**
   * The account: base URL, keys, settings, and products and advertisers with their criteria. Up to date as of the last
   * `update`, `reset`, `show` or `snapshots.restore` of this object.
   */
  readonly account: Account
  /**
   * A lead for every outcome, reason and error, made for the current account; each call makes another customer. Ages and
   * consents relate to this machine's time, regardless of the tenant's clock.
   * @throws Error the account has no active product.
   */
  readonly testLeads: TestLeads
}

/**
 * The control plane of a sandbox.
 * @throws ControlError from each method that sends something: the sandbox refuses the call, or does not respond.
 * @throws PathError each method, where a name cannot be part of a path; nothing was sent.
 * @category Client
 */
export interface ControlClient extends Readonly<ReturnType<typeof createClient>> {}

/**
 * Makes a client of the control plane that sends its requests by a function of yours. Over HTTP, use `connectSandbox`.
 *
 * @example
 * ```ts
 * import { createControlClient } from '@lead-distribution/control-client'
 *
 * const client = createControlClient(({ method, path, body }) => sendToSandbox(method, path, body))
 * ```
 * @category Client
 */
export function createControlClient(send: Send): ControlClient {
  return createClient(send)
}

function createClient(send: Send) {
  const { call, stream } = createMethods(send)
  const createTenant = call('createTenant', 'POST /tenants')
  const listTenants = call('listTenants', 'GET /tenants')
  const control = (tenant: string): TenantControl => createTenantControl(send, tenant)

  return {
    /**
     * Creates a tenant, all of whose options are optional: `name`, `seed`, `profile`, `settings`, `callbackUrl`, `frozenAt`
     * (a date-time with a zone), `expiresIn` (an ISO 8601 duration), and chosen keys in `publisher` and `advertisers`. The
     * same name and `seed` (an integer or a string) result in the same ids and keys.
     * @throws ControlError the name is taken, a setting is invalid, or the sandbox does not respond.
     */
    createTenant: async (options?: Options<'createTenant'>): Promise<Tenant> =>
      withAccount(control, await createTenant(options)),
    /**
     * A tenant that exists, with its account.
     * @throws ControlError there is no tenant with this name, or the sandbox does not respond.
     * @throws PathError the name cannot be part of a path.
     */
    openTenant: async (name: string): Promise<Tenant> => withAccount(control, await control(name).show()),
    /**
     * The accounts of all tenants, oldest first, from every page; `broken` lists those that could not
     * be opened, if there are any.
     * @throws ControlError the sandbox refuses the call, or does not respond.
     */
    async listTenants(): Promise<Pick<ControlReply<'listTenants'>, 'tenants' | 'broken'>> {
      const tenants: Account[] = []
      let broken: ControlReply<'listTenants'>['broken']
      for (let before: string | undefined; ; ) {
        const page = await listTenants({ before })
        tenants.push(...page.tenants)
        broken ??= page.broken
        before = page.next
        if (before === undefined) return broken ? { tenants, broken } : { tenants }
      }
    },
    /** The control plane of a tenant by its name; sends nothing, so the tenant need not exist yet. */
    control,
    /** The caller, and the cookie of the console on a shared sandbox. */
    session: {
      /** Returns what the token opens: its `role`, and its `tenant` if it opens only one. */
      show: call('showSession', 'GET /session'),
      /** Signs a browser in: sets a cookie with the token of this client, until the browser is closed. */
      start: call('startSession', 'POST /session'),
      /** Signs a browser out: removes the cookie. */
      end: call('endSession', 'DELETE /session'),
    },
    /** Returns the coverage of all tenants together, or of those whose names begin with `prefix`. */
    coverage: call('showCoverageOfAll', 'GET /coverage'),
    /** Streams what happens to all tenants, as {@link TenantControl.events}. */
    events: stream('streamAllEvents', 'GET /events'),
  }
}

function withAccount(control: ControlClient['control'], first: Account): Tenant {
  const tenant = control(first.tenant)
  let account = first
  const kept = async (reply: Promise<Account>) => {
    account = await reply
    return account
  }
  return {
    ...tenant,
    get account() {
      return account
    },
    get testLeads() {
      return createTestLeads(account)
    },
    snapshots: { ...tenant.snapshots, restore: name => kept(tenant.snapshots.restore(name)) },
    show: () => kept(tenant.show()),
    update: change => kept(tenant.update(change)),
    reset: () => kept(tenant.reset()),
  }
}
