import { createTestLeads, type TestLeads } from '@lead-distribution/contract/test-leads'
import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { createCallOperation, createStreamOperation, type Send } from './call-operation.ts'
import type { EventOptions, SandboxEvent } from './event-stream.ts'
import type { Routes } from './routes.ts'
import { type Account, createTenantControl, type TenantControl } from './tenant-control.ts'

/** A tenant with its account: one isolated tenant per test, created in milliseconds. */
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
 */
export interface ControlClient {
  /**
   * Creates a tenant, all of whose fields are optional: `name`, `seed`, `profile`, `settings`, `callback_url`, `frozen_at`
   * (a date-time with a zone), `expires_in` (an ISO 8601 duration), and chosen keys in `publisher` and `advertisers`. The
   * same name and `seed` (an integer or a string) result in the same ids and keys.
   * @throws ControlError the name is taken, a setting is invalid, or the sandbox does not respond.
   */
  createTenant(creation?: ControlInput<'createTenant'>): Promise<Tenant>
  /**
   * A tenant that exists, with its account.
   * @throws ControlError there is no tenant with this name, or the sandbox does not respond.
   * @throws PathError the name cannot be part of a path.
   */
  openTenant(name: string): Promise<Tenant>
  /**
   * The accounts of all tenants, oldest first, from every page; `broken` lists those that could not
   * be opened, if there are any.
   * @throws ControlError the sandbox refuses the call, or does not respond.
   */
  listTenants(): Promise<Pick<ControlReply<'listTenants'>, 'tenants' | 'broken'>>
  /** The control plane of a tenant by its name; sends nothing, so the tenant need not exist yet. */
  control(tenant: string): TenantControl
  /** Returns the coverage of all tenants together, or of those whose names begin with `prefix`. */
  coverage(filter?: ControlInput<'showCoverageOfAll'>): Promise<ControlReply<'showCoverageOfAll'>>
  /** Streams what happens to all tenants, as {@link TenantControl.events}. */
  events(options?: EventOptions): AsyncIterableIterator<SandboxEvent>
}

/**
 * Makes a client of the control plane that sends its requests by a function of yours. Over HTTP, use `connectSandbox`.
 *
 * @example
 * ```ts
 * import { createControlClient, routes } from '@lead-distribution/control-client/core'
 *
 * const client = createControlClient(
 *   ({ method, path, query, body }) => sendToSandbox(method, `/_sandbox/v1${path}?${new URLSearchParams(query)}`, body),
 *   routes,
 * )
 * ```
 */
export function createControlClient(send: Send, routes: Routes): ControlClient {
  const { createTenant, openTenant, ...client } = createPlainClient(send, routes)
  return {
    ...client,
    createTenant: async creation => withTestLeads(await createTenant(creation)),
    openTenant: async name => withTestLeads(await openTenant(name)),
  }
}

/** A {@link Tenant} without test leads. */
export type PlainTenant = Omit<Tenant, 'testLeads'>

/** A {@link ControlClient} whose tenants have no test leads. */
export interface PlainControlClient extends Omit<ControlClient, 'createTenant' | 'openTenant'> {
  /** Creates a tenant. The same name and `seed` (an integer or a string) result in the same ids and keys. */
  createTenant(creation?: ControlInput<'createTenant'>): Promise<PlainTenant>
  /** A tenant that exists, with its account. */
  openTenant(name: string): Promise<PlainTenant>
}

/**
 * Makes the same client as {@link createControlClient} without test leads, for a page that doesn't need to load them.
 *
 * @example
 * ```ts
 * import { createPlainClient, routes } from '@lead-distribution/control-client/core'
 *
 * const client = createPlainClient(
 *   ({ method, path, query, body }) => sendToSandbox(method, `/_sandbox/v1${path}?${new URLSearchParams(query)}`, body),
 *   routes,
 * )
 * const { leads } = await client.control('demo').leads.list()
 * ```
 */
export function createPlainClient(send: Send, routes: Routes): PlainControlClient {
  const call = createCallOperation(send, routes)
  const stream = createStreamOperation(send, routes)
  const control = (name: string) => createTenantControl(call, stream, name)
  return {
    createTenant: async creation => withAccount(control, await call('createTenant', {}, creation)),
    openTenant: async name => withAccount(control, await control(name).show()),
    async listTenants() {
      const tenants: Account[] = []
      let broken: ControlReply<'listTenants'>['broken']
      for (let before: string | undefined; ; ) {
        const page = await call('listTenants', {}, { before })
        tenants.push(...page.tenants)
        broken ??= page.broken
        before = page.next
        if (before === undefined) return broken ? { tenants, broken } : { tenants }
      }
    },
    control,
    coverage: filter => call('showCoverageOfAll', {}, filter),
    events: options => stream('streamAllEvents', {}, options),
  }
}

function withTestLeads(tenant: PlainTenant): Tenant {
  const testLeads = { enumerable: true, get: () => createTestLeads(tenant.account) }
  return Object.defineProperty(tenant, 'testLeads', testLeads) as Tenant
}

function withAccount(control: ControlClient['control'], first: Account): PlainTenant {
  const tenant = control(first.tenant)
  let account = first
  const kept = async <Reply extends Account & { readonly undo?: object | undefined }>(reply: Promise<Reply>) => {
    const replied = await reply
    const { undo: _, ...rest } = replied
    account = rest
    return replied
  }
  return {
    ...tenant,
    get account() {
      return account
    },
    snapshots: { ...tenant.snapshots, restore: (name, options) => kept(tenant.snapshots.restore(name, options)) },
    show: () => kept(tenant.show()),
    update: change => kept(tenant.update(change)),
    reset: options => kept(tenant.reset(options)),
    undelete: () => kept(tenant.undelete()),
  }
}
