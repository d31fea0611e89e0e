import { basePath, type SettingsChange } from '@lead-distribution/contract'
import { leadToken } from '@lead-distribution/engine'
import { openTenantClient } from '../control/tenant-client.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import type { PostbackKnowledge } from './diagnose-postback.ts'

/** The sandbox's address in these tests. */
export const origin = 'http://127.0.0.1:4010'

/** The real pixel, the leads known to the diagnosis, and a valid URL for the first of them. */
export async function pixelWorld(settings: SettingsChange = {}) {
  const storage = createMemoryStorage()
  const { sandbox, account, leads, submit } = await openTenantClient(
    { name: 'qa', seed: '1', settings: { distribution: 'all_accepting', ...settings } },
    { storage },
  )
  const { read } = storage.of('qa')
  /** The first and the third advertiser accept this amount, the second does not. */
  const distributed = () =>
    leads.distributed({ product_data: { loan_amount: 1_000, loan_purpose: 'wedding', loan_term_months: 24 } })
  const ids = {
    ours: (await submit(distributed())).lead_id as string,
    other: (await submit(distributed())).lead_id as string,
    unsold: (await submit(leads.new)).lead_id as string,
  }
  const knowledge: PostbackKnowledge = {
    baseUrl: `${origin}${basePath}`,
    findLead: async leadId => {
      const lead = await read(tables => tables.findLead(leadId))
      return lead && { lead, account, otherLeadIds: Object.values(ids).filter(id => id !== leadId) }
    },
  }
  const tokenOf = (nth: number, lead_id: string = ids.ours) => {
    const advertiser = account.advertisers[nth]
    if (!advertiser) throw new Error(`There is no advertiser ${nth}.`)
    return leadToken({ ...advertiser, lead_id }, account.settings.token_format)
  }
  return {
    account,
    /** Two leads of the first and the third advertiser, one that no advertiser has, and one that doesn't exist. */
    leads: { ...ids, unknown: '4b000000-0000-4000-8000-0000000000a1' },
    knowledge,
    tokenOf,
    right: `${origin}${basePath}/lead/${ids.ours}/status?token=${await tokenOf(0)}&event=approved`,
    /** Calls the real pixel as a client does, and returns the status. */
    async call(text: string): Promise<number> {
      const { pathname, search } = new URL(text)
      const target = `${pathname}${search}`
      return (await sandbox.handle({ method: 'GET', target, headers: {}, body: new Uint8Array() })).status
    },
    /** The stored leads: records, events, callbacks. */
    kept: () =>
      read(async tables =>
        Promise.all(
          Object.values(ids).map(async id => [
            await tables.findLead(id),
            await tables.listEvents(id),
            await tables.listCallbacks(id),
          ]),
        ),
      ),
  }
}
