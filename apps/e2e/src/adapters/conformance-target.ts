import {
  createTarget,
  type Fetch,
  factsOfAccount,
  type Target,
  type TargetOptions,
} from '@lead-distribution/conformance'
import type { Adapter } from './adapter.ts'
import { createTenant, type Tenant } from './tenant.ts'

/** A `fetch` that reaches the sandbox through an adapter. */
export function fetchThrough(adapter: Adapter): Fetch {
  return async (url, { method = 'GET', headers, body }) => {
    const { pathname, search } = new URL(url)
    const reply = await adapter.request(method, `${pathname}${search}`, {
      headers: headers as Record<string, string>,
      ...(body !== undefined && { body }),
    })
    const sent = Object.entries(reply.headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return new Response(reply.text, { status: reply.status, headers: sent })
  }
}

/** Additions that let every case apply: a blacklisted customer and a second product. */
const everythingToSee = {
  blacklist: [{ identification_number: 'X1' }],
  products: [{ product_id: '20000000-0000-4000-8000-00000000000c', name: 'Car loan' }],
}

/** A new tenant as a target, known only by its account. */
export async function targetThrough(
  adapter: Adapter,
  creation: object = {},
  more: Partial<TargetOptions> = {},
): Promise<{ target: Target; tenant: Tenant }> {
  const tenant = await createTenant(adapter, creation)
  await tenant.change(everythingToSee)
  const target = createTarget({ facts: factsOfAccount(tenant.account), fetch: fetchThrough(adapter), ...more })
  return { target, tenant }
}

/** A target with known callback retries: probing them would take the whole patience. */
export const withKnownRetries = (target: Target, retries: readonly string[]): Target => ({
  ...target,
  finding: async point =>
    point === 'callback_retries'
      ? ({ point, interpretation: retries, known_by: 'The test has set them.' } as never)
      : target.finding(point),
})
