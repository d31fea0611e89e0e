import { dateTime } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { displayName } from './account.ts'
import { type ControlOperation, operationDefaults, withBody } from './operation-defaults.ts'

const role = z.enum(['read', 'write'])

/** A token as it is listed: everything but its text. */
export const token = z.strictObject({
  token_id: z.string(),
  role,
  name: z.optional(displayName),
  created_at: dateTime,
})

/** The body that creates a token; `name` is for its creator, such as the name of a pipeline. */
const newToken = z.strictObject({ role, name: z.optional(displayName) })

/** The host of a callback URL, or one of its ports, such as `127.0.0.1:3000`. */
const host = z.string().check(z.minLength(1), z.maxLength(253))

/** Where callbacks of a tenant may go besides this machine, and since when: the start of the sandbox, or later for this tenant. */
const allowedHosts = z.strictObject({
  hosts: z.array(z.strictObject({ host: z.string(), allowed: z.enum(['at_start', 'for_this_tenant']) })),
})

/** What the operator decides about a tenant; none of it is open to a token of the tenant. */
const forOperator = { ...operationDefaults, needs: 'admin' } as const

/** The operations on the tokens of a tenant, and on the hosts that its callbacks may go to. */
export const administrationOperations = {
  createToken: {
    ...withBody,
    needs: 'admin',
    title: 'Create a token',
    description: 'The token opens only this tenant. No later response shows its text again.',
    methods: ['POST'],
    path: '/tenants/:tenant/tokens',
    input: newToken,
    status: 201,
    reply: z.extend(token, { token: z.string() }),
    errors: ['not_found', 'validation_error', 'too_many'],
  },
  listTokens: {
    ...forOperator,
    title: 'List tokens',
    description: 'Returns the tokens of the tenant, oldest first, without their texts.',
    methods: ['GET'],
    path: '/tenants/:tenant/tokens',
    reply: z.strictObject({ tokens: z.array(token) }),
  },
  revokeToken: {
    ...forOperator,
    title: 'Revoke a token',
    description: 'The token opens nothing from now on, and the streams of the tenant end.',
    methods: ['DELETE'],
    path: '/tenants/:tenant/tokens/:token_id',
    reply: z.strictObject({ revoked: z.string() }),
  },
  allowHost: {
    ...withBody,
    needs: 'admin',
    title: 'Allow a host',
    description: "Lets the tenant's callbacks go to a host besides this machine.",
    methods: ['POST'],
    path: '/tenants/:tenant/hosts',
    input: z.strictObject({ host }),
    reply: allowedHosts,
    errors: ['not_found', 'validation_error', 'too_many'],
  },
  listHosts: {
    ...operationDefaults,
    title: 'List allowed hosts',
    description: "Returns the hosts besides this machine that the tenant's callbacks may go to.",
    methods: ['GET'],
    path: '/tenants/:tenant/hosts',
    reply: allowedHosts,
  },
  removeHost: {
    ...forOperator,
    title: 'Remove an allowed host',
    description: 'Callbacks to the host fail from now on. Only a host that was allowed for this tenant can be removed.',
    methods: ['DELETE'],
    path: '/tenants/:tenant/hosts/:host',
    reply: allowedHosts,
  },
} as const satisfies Record<string, ControlOperation>
