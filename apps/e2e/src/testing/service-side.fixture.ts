import { createAdvertiser, type EventResult, LeadSdkError, type StatusResult } from '@lead-distribution/advertiser-sdk'
import { createTestPostbackUrl } from '@lead-distribution/advertiser-sdk/testing'
import { createPublisher, type SubmitResult } from '@lead-distribution/publisher-sdk'
import { createFakeService, createTestLeads, type FakeWord } from '@lead-distribution/publisher-sdk/testing'
import { expect } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

/** The operations of the service. */
export type Operation = 'submitLead' | 'reportStatus' | 'reportEvent'

const limits = { timeoutMs: 250, backOff: { firstMs: 0, retryAfterMs: 0 } }

/** A service that the SDKs call, its clients, and what is needed to make it fail. */
export type Side = Awaited<ReturnType<typeof sandboxSide | typeof fakeSide>>

/** The real sandbox, through real sockets. */
export async function sandboxSide(adapter: Adapter) {
  const tenant = await createTenant(adapter)
  const address = { baseUrl: `${adapter.url}/api/v1`, fetch: globalThis.fetch }
  return {
    ...address,
    publisher: createPublisher({ ...address, ...limits, apiKey: tenant.publisherKey }),
    advertiser: createAdvertiser({ ...address, ...limits, apiKey: tenant.advertiserKey() }),
    keys: { publisher: tenant.publisherKey, advertiser: tenant.advertiserKey() },
    leads: createTestLeads(tenant.account),
    postbackUrl: async (lead_id: string) => `${adapter.url}${await tenant.postback(lead_id)}`,
    async fails(operation: Operation, name: FakeWord, times: number) {
      const { status, json } = await tenant.control('POST', '/faults', {
        body: { match: { operation }, effect: effectOf(name), times },
      })
      expect([status, json.details]).toEqual([201, undefined])
    },
  }
}

/** The fake service. */
export async function fakeSide() {
  const fake = createFakeService()
  const [publisher, advertiser] = [fake.account.publisher, fake.account.advertisers[0]]
  return {
    baseUrl: fake.baseUrl,
    fetch: fake.fetch,
    publisher: createPublisher({ ...fake.publisher, ...limits }),
    advertiser: createAdvertiser({ ...fake.advertiser, ...limits }),
    keys: { publisher: publisher.api_key, advertiser: advertiser.api_key },
    leads: createTestLeads(fake.account),
    postbackUrl: (lead_id: string) => createTestPostbackUrl({ lead_id }),
    async fails(_operation: Operation, name: FakeWord, times: number) {
      fake.next(...Array<FakeWord>(times).fill(name))
    },
  }
}

function effectOf(name: FakeWord): object {
  if (name === 'rate_limited') return { status: 429, retry_after: 1 }
  const status = /^http_(\d+)$/.exec(name)?.[1]
  return status === undefined ? { [name]: true } : { status: Number(status) }
}

/** What an SDK came to, without what differs from one lead and one call to the next. */
export async function met(call: Promise<SubmitResult | StatusResult | EventResult>): Promise<object> {
  try {
    const { meta, raw, ...result } = await call
    const redirect = 'redirect_url' in result && result.redirect_url !== undefined
    return {
      ...result,
      ...(result.lead_id !== null && { lead_id: 'an id' }),
      ...(redirect && { redirect_url: 'an address' }),
      http: meta.status,
      attempts: meta.attempts,
      fields: Object.keys(raw).sort(),
    }
  } catch (error) {
    if (!LeadSdkError.is(error)) throw error
    const { name, code, sent, retryable, message, meta } = error
    const {
      error: said,
      details,
      retryAfterMs,
    } = error as { error?: unknown; details?: unknown; retryAfterMs?: unknown }
    return {
      name,
      code,
      sent,
      retryable,
      message,
      said,
      details,
      retryAfterMs,
      http: meta?.status,
      attempts: meta?.attempts,
    }
  }
}
