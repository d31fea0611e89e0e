import { createTestLeads, type TestLeads } from '@lead-distribution/contract/test-leads'
import type { ControlReply } from '@lead-distribution/simulator'
import { createMethods, type Options, type Send } from './call-operation.ts'
import { type Account, createTenantControl, type TenantControl } from './tenant-control.ts'

/**
 * A tenant with its account. Create an isolated tenant for each test; it takes milliseconds.
 * @category Client
 */
export interface Tenant extends TenantControl {
  /**
   * The account: base URL, keys, settings, and products and advertisers with their criteria. Current as of this
   * object's last `update`, `reset`, `show` or `snapshots.restore`.
   */
  readonly account: Account
  /**
   * Test leads for every outcome, reason and error, created for the current account; each call creates a new customer.
   * Ages and consents are based on this machine's clock, not the tenant's.
   * @throws Error the account has no active product.
   */
  readonly testLeads: TestLeads
}

/**
 * A client for a sandbox's control plane.
 * @throws ControlError from each method that sends something: the sandbox refuses the call or does not respond.
 * @throws PathError from each method: a name cannot be part of a path; nothing was sent.
 * @category Client
 */
export interface ControlClient extends Readonly<ReturnType<typeof createClient>> {}

/**
 * Creates a control plane client that sends its requests through your own function. Over HTTP, use `connectSandbox`.
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
     * Creates a tenant. All options are optional: `name`, `seed`, `profile`, `settings`, `callbackUrl`, `frozenAt` (a
     * date-time with a zone), `expiresIn` (an ISO 8601 duration), and fixed keys in `publisher` and `advertisers`. The
     * same `name` and `seed` (an integer or a string) result in the same ids and keys.
     * @throws ControlError the name is taken, a setting is invalid, or the sandbox does not respond.
     */
    createTenant: async (options?: Options<'createTenant'>): Promise<Tenant> =>
      withAccount(control, await createTenant(options)),
    /**
     * Opens an existing tenant and reads its account.
     * @throws ControlError there is no tenant with this name, or the sandbox does not respond.
     * @throws PathError the name cannot be part of a path.
     */
    openTenant: async (name: string): Promise<Tenant> => withAccount(control, await control(name).show()),
    /**
     * Returns the accounts of all tenants from every page, oldest first. `broken` lists tenants that could not be
     * opened, if there are any.
     * @throws ControlError the sandbox refuses the call or does not respond.
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
    /** Returns the control plane of the tenant with this name. Sends nothing, so the tenant need not exist yet. */
    control,
    /** The caller's session, and the console's cookie on a shared sandbox. */
    session: {
      /** Returns the token's `role`, and its `tenant` if it gives access to only one. */
      show: call('showSession', 'GET /session'),
      /** Signs a browser in: sets a session cookie with this client's token. */
      start: call('startSession', 'POST /session'),
      /** Signs a browser out: removes the cookie. */
      end: call('endSession', 'DELETE /session'),
    },
    /** Returns the combined coverage of all tenants, or of those whose names start with `prefix`. */
    coverage: call('showCoverageOfAll', 'GET /coverage'),
    /** Streams the events of all tenants, like {@link TenantControl.events}. */
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
