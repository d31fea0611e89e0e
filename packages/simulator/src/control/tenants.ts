import { dateTime } from '@lead-distribution/contract/shapes'
import { duration } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { maxParties } from '../tenants/change-tenant.ts'
import { account, advertiserChange, blacklist, productChange, settingsChange } from './account.ts'
import { type ControlOperation, operationDefaults, wholeNumber, withBody, withQuery } from './operation-defaults.ts'

/** The body of `POST /tenants`. */
const tenantCreation = z.strictObject({
  name: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
          'must be 1 to 63 lower-case letters, digits and inner hyphens',
        ),
      ),
  ),
  seed: z.optional(z.union([z.string().check(z.minLength(1), z.maxLength(200)), z.int()])),
  profile: z.optional(z.enum(['prose', 'formal'])),
  settings: z.optional(settingsChange),
  callback_url: z.optional(z.nullable(z.string())),
  frozen_at: z.optional(dateTime),
  expires_in: z.optional(z.nullable(duration)),
})

/** A creation of a tenant whose shape was checked. */
export type TenantCreation = z.output<typeof tenantCreation>

/** The query of the list of tenants. */
const tenantQuery = z.strictObject({ limit: z.optional(wholeNumber('limit')), before: z.optional(z.string()) })

const { publisher } = account.shape

/** The body of `PATCH /tenants/{t}`: what is to change. An account as it is shown is one too; what of it cannot change stays. */
const tenantChange = z.strictObject({
  ...z.partial(account).shape,
  publisher: z.optional(z.partial(publisher)),
  settings: z.optional(settingsChange),
  callback_url: z.optional(z.nullable(z.string())),
  expires_in: z.optional(z.nullable(duration)),
  products: z.optional(z.array(productChange).check(z.maxLength(maxParties))),
  advertisers: z.optional(z.array(advertiserChange).check(z.maxLength(maxParties))),
  blacklist: z.optional(blacklist),
})

/** The body of a change, whose shape was checked. */
export type AccountChange = z.output<typeof tenantChange>

/** A tenant that could not be opened, and why. */
const brokenTenant = z.strictObject({ tenant: z.string(), reason: z.string() })

/** All that is stored of a broken tenant, as it is stored: its record, as text where it is not JSON, and the rows of each table. */
const rawTenant = z.strictObject({
  format: z.string(),
  tenant: z.string(),
  reason: z.string(),
  record: z.unknown(),
  tables: z.record(z.string(), z.array(z.looseObject({}))),
})

/** The operations on tenants as a whole. */
export const tenantOperations = {
  createTenant: {
    ...withBody,
    title: 'Create a tenant',
    description: 'A tenant is an isolated account with its own leads, settings, clock and callbacks.',
    methods: ['POST'],
    path: '/tenants',
    needs: 'admin',
    input: tenantCreation,
    status: 201,
    reply: account,
    errors: ['validation_error', 'tenant_exists', 'too_many'],
  },
  listTenants: {
    ...withQuery,
    title: 'List tenants',
    description:
      'Returns the accounts of all tenants that the token opens, oldest first. Tenants that could not be opened are under `broken`, on the first page.',
    methods: ['GET'],
    path: '/tenants',
    input: tenantQuery,
    reply: z.strictObject({
      tenants: z.array(account),
      next: z.optional(z.string()),
      /** Those that could not be opened, on the first page; absent where there are none. */
      broken: z.optional(z.array(brokenTenant)),
    }),
    errors: ['validation_error'],
  },
  showTenant: {
    ...operationDefaults,
    title: 'Show a tenant',
    description: 'Returns its account.',
    methods: ['GET'],
    path: '/tenants/:tenant',
    reply: account,
  },
  changeTenant: {
    ...withBody,
    title: 'Change a tenant',
    description:
      'Changes settings, the callback URL, products, advertisers, the blacklist or the expiry, and holds or releases callbacks. Also accepts an account as the sandbox shows it.',
    methods: ['PATCH'],
    path: '/tenants/:tenant',
    input: tenantChange,
    reply: account,
  },
  deleteTenant: {
    ...operationDefaults,
    title: 'Delete a tenant',
    description: 'Deletes the tenant and everything in it.',
    methods: ['DELETE'],
    path: '/tenants/:tenant',
    reply: z.strictObject({ deleted: z.string() }),
    errors: ['not_found', 'tenant_stays'],
  },
  exportRaw: {
    ...operationDefaults,
    // Keys are derived from the seed.
    needs: 'write',
    title: 'Export a broken tenant',
    description:
      'Returns all that is stored of a tenant that could not be opened, as it is stored, with its seed and its keys.',
    methods: ['GET'],
    path: '/tenants/:tenant/raw',
    reply: rawTenant,
    errors: ['not_found', 'too_many'],
  },
  resetTenant: {
    ...operationDefaults,
    title: 'Reset a tenant',
    description:
      'Resets the tenant to its creation, with the same ids, keys and settings. Its callback URL and its snapshots stay, and nothing else.',
    methods: ['POST'],
    path: '/tenants/:tenant/reset',
    reply: account,
  },
} as const satisfies Record<string, ControlOperation>

/** The operations that work on a broken tenant, too. */
export type HandledWhenBroken = 'deleteTenant' | 'exportRaw' | 'resetTenant'
