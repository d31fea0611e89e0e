import {
  createTarget,
  type Fetch,
  factsOfAccount,
  type Target,
  type TargetOptions,
} from '@lead-distribution/conformance'
import type { Door } from '../doors/door.ts'
import { createTenant, type Tenant } from '../doors/tenant.ts'

/** What `fetch` would answer at a door. */
function fetchThrough(door: Door): Fetch {
  return async (url, { method = 'GET', headers, body }) => {
    const { pathname, search } = new URL(url)
    const reply = await door.request(method, `${pathname}${search}`, {
      headers: headers as Record<string, string>,
      ...(body !== undefined && { body }),
    })
    const sent = Object.entries(reply.headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return new Response(reply.text, { status: reply.status, headers: sent })
  }
}

/** What a tenant lacks at first for every case to have its occasion: somebody who is listed, and a second product. */
const everythingToSee = {
  blacklist: [{ identification_number: 'X1' }],
  products: [{ product_id: '20000000-0000-4000-8000-00000000000c', name: 'Car loan' }],
}

/** A tenant of its own as a target: nothing is known of it but what its account says. */
export async function targetThrough(
  door: Door,
  creation: object = {},
  more: Partial<TargetOptions> = {},
): Promise<{ target: Target; tenant: Tenant }> {
  const tenant = await createTenant(door, creation)
  await tenant.change(everythingToSee)
  const target = createTarget({ facts: factsOfAccount(tenant.account), fetch: fetchThrough(door), ...more })
  return { target, tenant }
}
