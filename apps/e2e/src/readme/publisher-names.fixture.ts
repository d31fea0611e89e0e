import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { createPublisher } from '@lead-distribution/publisher-sdk'
import { createCallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'
import { vi } from 'vitest'
import type { Tenant } from '../adapters/tenant.ts'
import type { Names } from './publisher-names.ts'

/** The secret that the callback URLs of these tests end with. */
export const callbackSecret = 'secret-in-the-path-of-the-callback-url-0001'

/** An application around the SDK: what it is called with is seen. */
export function publisherNames({ account }: Tenant): Names {
  const leads = createTestLeads(account)
  const lead = leads.distributed()
  return {
    publisher: createPublisher({ tenant: 'acme', serviceDomain: 'leads.example' }),
    lead,
    receive: createCallbackReceiver({ verify: { urlSecrets: [callbackSecret] }, handle: vi.fn() }),
    form: {
      product_id: lead.product_id,
      first_name: 'Ana',
      last_name: 'Prueba',
      birthday: '1990-05-01',
      email: lead.customer.contact.email.address,
      amount: 5000,
      purpose: 'home_improvement',
      months: 24,
      terms: true,
      privacy: true,
      landingPage: 'https://publisher.example/loans?gclid=click-1&utm_campaign=spring&email=ana@example.com',
    },
    request: { ip: '203.0.113.7' },
    database: {
      saveResult: vi.fn(async () => undefined),
      hasLead: vi.fn(async () => true),
      saveEvent: vi.fn(async () => undefined),
      query: vi.fn(async () => ({ rowCount: 0 })),
    },
    redis: redisOfMap(),
    queue: { add: vi.fn(async () => undefined) },
    logger: { info: vi.fn(), warn: vi.fn() },
    page: vi.fn(text => new Response(text)),
  }
}

/** As much of Redis as claims need: keys that expire, and `SET` with `NX` in one step. */
function redisOfMap(): Names['redis'] {
  const entries = new Map<string, { text: string; until: number }>()
  const get = (key: string) => {
    const { text, until = 0 } = entries.get(key) ?? {}
    return until > Date.now() ? (text ?? null) : null
  }
  return {
    get: async key => get(key),
    async set(key, text, { PX, NX }) {
      if (NX && get(key) !== null) return null
      entries.set(key, { text, until: Date.now() + PX })
      return 'OK'
    },
    del: async key => Number(entries.delete(key)),
  }
}
