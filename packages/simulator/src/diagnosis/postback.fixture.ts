import { basePath, type LeadStatus } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import {
  type Account,
  createLeadReader,
  createTokenReader,
  leadToken,
  reportEvent,
  type SettingsOverrides,
  type Storage,
} from '@lead-distribution/engine'
import { createHandler } from '@lead-distribution/http'
import { noon } from '../ports.fixture.ts'
import { eventResponse, type ServiceResponse, unauthorized } from '../service-http/responses.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { accountOfNewTenant, leadFor } from './account.fixture.ts'
import type { PostbackKnowledge } from './diagnose-postback.ts'

/** The address of the sandbox of these tests. */
export const origin = 'http://127.0.0.1:4010'

/** Ids of leads: one that the first and third advertiser have, another one that they have, and one that no advertiser has. */
export const leads = {
  ours: '4a000000-0000-4000-8000-0000000000a1',
  other: '4a000000-0000-4000-8000-0000000000a2',
  unsold: '4a000000-0000-4000-8000-0000000000a3',
} as const

/** The real pixel, what a diagnosis knows of its leads, and the right URL of the first one. */
export async function pixelWorld(settings: SettingsOverrides = {}) {
  const account = await accountOfNewTenant(settings)
  const storage = createMemoryStorage()
  await storage.addTenant(await createTenant({ tenant: 'qa', seed: '1', created_at: noon, settings }))
  const memory = storage.of('qa')
  const { lead } = createLeadReader()(leadFor(account), account.settings)
  if (!lead) throw new Error('The smallest lead is no lead.')
  const deliveries = account.advertisers.map(({ advertiser_id, name }, index) => ({
    advertiser_id,
    name,
    reasons: [],
    decision: index === 1 ? ('declined' as const) : ('accepted' as const),
  }))
  const add = (lead_id: string, status: LeadStatus) =>
    memory.transact(tables =>
      tables.addLead({
        lead_id,
        status,
        product_id: lead.product_id,
        email: `${lead_id}@example.com`,
        received_at: noon,
        submission: lead,
        trace: [],
        deliveries: status === 'distributed' ? deliveries : [],
      }),
    )
  await add(leads.ours, 'distributed')
  await add(leads.other, 'distributed')
  await add(leads.unsold, 'new')

  const handle = realPixel(memory, account)
  const knowledge: PostbackKnowledge = {
    baseUrl: `${origin}${basePath}`,
    findLead: async leadId => {
      const found = await memory.transact(tables => tables.findLead(leadId))
      return found && { lead: found, account, otherLeadIds: Object.values(leads).filter(id => id !== leadId) }
    },
  }
  const tokenOf = (nth: number, lead_id: string = leads.ours) => {
    const advertiser = account.advertisers[nth]
    if (!advertiser) throw new Error(`There is no advertiser ${nth}.`)
    return leadToken({ ...advertiser, lead_id }, account.settings.token_format)
  }
  const right = `${origin}${basePath}/lead/${leads.ours}/status?token=${await tokenOf(0)}&event=approved`
  return {
    account,
    knowledge,
    tokenOf,
    right,
    /** The status that the real pixel answers to a URL that is called as a client calls it. */
    async call(text: string): Promise<number> {
      const { pathname, search } = new URL(text)
      const reply = await handle({ method: 'GET', target: `${pathname}${search}`, headers: {}, body: new Uint8Array() })
      return reply?.status ?? 404
    },
    /** Everything that is stored of the leads: records, events, callbacks. */
    kept: () =>
      memory.transact(async tables =>
        Promise.all(
          Object.values(leads).map(async id => [
            await tables.findLead(id),
            await tables.listEvents(id),
            await tables.listCallbacks(id),
          ]),
        ),
      ),
  }
}

/** The pixel as the service answers it. */
function realPixel(storage: Storage, account: Account) {
  let callbacks = 0
  const ports = {
    storage,
    clock: { now: () => noon },
    ids: { lead: () => '', callback: () => `callback ${callbacks++}` },
    readToken: createTokenReader(),
    onCallbackDue: () => undefined,
  }
  return createHandler<Pick<typeof operations, 'reportEvent'>, Account, ServiceResponse>({
    basePath,
    operations: { reportEvent: operations.reportEvent },
    maxBodyBytes: 0,
    onError: error => {
      throw error
    },
    authenticate: async ({ query }) => (query.has('apikey') ? { refused: unauthorized } : { principal: account }),
    handlers: {
      reportEvent: async (principal, { params, query }) =>
        eventResponse(await reportEvent(ports, principal, { lead_id: params.lead_id, parameters: [...query] })),
    },
  })
}
