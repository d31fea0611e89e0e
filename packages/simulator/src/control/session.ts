import * as z from 'zod/mini'
import { type Principal, sessionCookie } from './access.ts'
import { type ControlContext, operation } from './operation.ts'

/** The caller. `tenant` is the only tenant that its token opens; absent if it opens all. */
const session = z.strictObject({
  role: z.enum(['admin', 'write', 'read']),
  tenant: z.optional(z.string()),
  requires_token: z.boolean(),
})

export const sessionOperations = {
  startSession: operation(
    {
      needs: 'read',
      title: 'Sign in',
      description:
        "Stores the token of the `Authorization` header in a session cookie, which the browser sends with the console's requests until it is closed. A sandbox without tokens sets no cookie.",
      methods: ['POST'],
      path: '/session',
      reply: session,
    },
    async ({ principal, headers }, context) => ({
      body: sessionView(principal, context),
      headers: sessionCookie(context.access, headers),
    }),
  ),
  showSession: operation(
    {
      title: 'Show the caller',
      description:
        "Returns the scope of the request's token: the whole sandbox, or one tenant, with the role read or write.",
      methods: ['GET'],
      path: '/session',
      reply: session,
    },
    async ({ principal }, context) => ({ body: sessionView(principal, context) }),
  ),
  endSession: operation(
    {
      needs: 'read',
      title: 'Sign out',
      description: 'Removes the cookie. The token itself stays valid.',
      methods: ['DELETE'],
      path: '/session',
      reply: session,
    },
    async ({ principal }, context) => ({
      body: sessionView(principal, context),
      headers: sessionCookie(context.access, undefined),
    }),
  ),
}

function sessionView({ role, tenant }: Principal, { access }: ControlContext) {
  return { role, ...(tenant === undefined ? {} : { tenant }), requires_token: access.adminToken !== undefined }
}
