import * as z from 'zod/mini'
import { type ControlOperation, row, rowWithBody } from '../row.ts'
import { account, tenantChange, tenantCreation } from './account.shape.ts'

/** The operations on tenants as a whole. */
export const tenantOperations = {
  createTenant: {
    ...rowWithBody,
    summary: 'Make a tenant: an account of its own with its own leads, settings, clock and callbacks.',
    methods: ['POST'],
    path: '/tenants',
    input: tenantCreation,
    status: 201,
    reply: account,
    errors: ['validation_error', 'tenant_exists', 'too_many'],
  },
  listTenants: {
    ...row,
    summary: 'Show the accounts of all tenants.',
    methods: ['GET'],
    path: '/tenants',
    reply: z.strictObject({ tenants: z.array(account) }),
    errors: [],
  },
  showTenant: {
    ...row,
    summary: 'Show the account of a tenant.',
    methods: ['GET'],
    path: '/tenants/:tenant',
    reply: account,
  },
  changeTenant: {
    ...rowWithBody,
    summary: 'Change settings, callback URL, products, advertisers or blacklist of a tenant.',
    methods: ['PATCH'],
    path: '/tenants/:tenant',
    input: tenantChange,
    reply: account,
  },
  deleteTenant: {
    ...row,
    summary: 'Remove a tenant with all that it has.',
    methods: ['DELETE'],
    path: '/tenants/:tenant',
    reply: z.strictObject({ deleted: z.string() }),
    errors: ['not_found', 'tenant_stays'],
  },
  resetTenant: {
    ...row,
    summary: 'Make a tenant as it was made: same ids, keys and settings, and nothing else; its snapshots stay.',
    methods: ['POST'],
    path: '/tenants/:tenant/reset',
    reply: account,
  },
} as const satisfies Record<string, ControlOperation>
