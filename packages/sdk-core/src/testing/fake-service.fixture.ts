import { leadToken } from '@lead-distribution/contract'
import { createTestLeads } from '@lead-distribution/test-leads'
import { createFakeService, fakeAccount, fakeTokenFormat } from './index.ts'

/** An id of a lead. */
export const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'

/** A fake service, and calls of it by a bare fetch, right ones unless `init` says otherwise. */
export function bareClient() {
  const fake = createFakeService()
  const leads = createTestLeads(fake.account)
  const json = { 'content-type': 'application/json' }
  const post = (path: string, key: string, body: unknown, init: RequestInit = {}) =>
    fake.fetch(`${fake.baseUrl}${path}`, {
      method: 'POST',
      headers: { ...json, apikey: key },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
    })
  return {
    fake,
    leads,
    submit: (lead: unknown = leads.distributed(), init?: RequestInit) =>
      post('/lead', fake.publisher.apiKey, lead, init),
    report: (body: unknown = { status: 'converted' }, init?: RequestInit) =>
      post(`/lead/${lead_id}/status`, fake.advertiser.apiKey, body, init),
    pixel: async (event = 'approved', token?: string, init?: RequestInit) =>
      fake.fetch(`${fake.baseUrl}/lead/${lead_id}/status?token=${token ?? (await tokenOf())}&event=${event}`, init),
  }
}

/** The right token of the lead. */
export function tokenOf(): Promise<string> {
  const [{ advertiser_id, postback_secret }] = fakeAccount.advertisers
  return leadToken({ lead_id, advertiser_id, postback_secret }, fakeTokenFormat)
}
