import type { Operation } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { sandboxPath } from '../pages/urls.ts'
import { tenantChange, tenantCreation } from './account.shape.ts'

/** The largest body that the control plane reads, bytes; the service reads less. */
export const maxControlBodyBytes = 1_048_576

/** The path that the control plane stands below. */
export const controlPath = `${sandboxPath}/v1`

const reply = z.record(z.string(), z.unknown())
const row = { spec: 'sandbox', key: 'none', in: 'none', reply, errors: ['not_found'] } as const

/** Every operation of the control plane. */
export const controlOperations = {
  createTenant: {
    ...row,
    summary: 'Make a tenant: an account of its own with its own leads, settings and callbacks.',
    methods: ['POST'],
    path: '/tenants',
    in: 'body',
    input: tenantCreation,
    errors: ['validation_error'],
  },
  listTenants: { ...row, summary: 'The accounts of all tenants.', methods: ['GET'], path: '/tenants', errors: [] },
  showTenant: { ...row, summary: 'The account of a tenant.', methods: ['GET'], path: '/tenants/:tenant' },
  changeTenant: {
    ...row,
    summary: 'Change settings, callback URL, products, advertisers or blacklist of a tenant.',
    methods: ['PATCH'],
    path: '/tenants/:tenant',
    in: 'body',
    input: tenantChange,
    errors: ['not_found', 'validation_error'],
  },
  deleteTenant: {
    ...row,
    summary: 'Remove a tenant with all that it has.',
    methods: ['DELETE'],
    path: '/tenants/:tenant',
  },
  showLead: {
    ...row,
    summary: 'A lead with the trace of its decision, its deliveries, events and callbacks.',
    methods: ['GET'],
    path: '/tenants/:tenant/leads/:lead_id',
  },
  showInbox: { ...row, summary: "What the tenant's own inbox took.", methods: ['GET'], path: '/tenants/:tenant/inbox' },
} as const satisfies Record<string, Operation>

/** The name of an operation of the control plane. */
export type ControlOperationName = keyof typeof controlOperations
