import type { Change } from '../stream/event-streams.ts'
import { callbackUrlOf } from '../tenants/account.ts'
import type { Tenant } from '../tenants/runtime.ts'
import { shownAt } from '../time/clock.ts'
import type { Urls } from '../urls.ts'
import { backendView, callbackView, iso, requestView } from './shapes.ts'

// Records as the control plane shows them, where more than one operation does.

/** Returns an account with its keys and secrets: it is what its user integrates with. */
export function accountView({ record, account }: Pick<Tenant, 'record' | 'account'>, urls: Urls) {
  const { publisher, advertisers, products, blacklist, listener } = record
  return {
    tenant: record.tenant,
    base_url: urls.base,
    publisher: { ...publisher, callback_url: callbackUrlOf(record, urls) },
    advertisers,
    products,
    blacklist,
    settings: account.settings,
    callbacks_held: record.callbacks_held ?? false,
    ...(listener && { listener }),
    ...(record.expires_at === undefined ? {} : { expires_at: iso(record.expires_at) }),
  }
}

/** Returns the data of an event: ids and decisions of a lead; anything else as its own operation shows it. */
export function changeView(change: Change, realNow: number): object {
  switch (change.type) {
    case 'lead':
      return leadChangeView(change)
    case 'callback':
      return { callback: callbackView(change.callback, change.holding) }
    case 'call':
      return { request: requestView(change.request) }
    case 'clock':
      return { clock: { mode: change.clock.mode, now: iso(shownAt(change.clock, realNow)) } }
    case 'fault':
      return { faults: change.faults }
    case 'inbox':
      return { inbox: change.inbox }
    case 'tenant':
      return { change: change.change }
  }
}

function leadChangeView(changed: Extract<Change, { type: 'lead' }>) {
  const { change } = changed
  if (change === 'submitted') {
    const { lead_id, product_id, status, rejection_reason } = changed.lead
    return { change, lead_id, product_id, status, rejection_reason }
  }
  const { lead_id, advertiser_id } = change === 'reported' ? changed.event : changed
  if (change === 'reported') return { change, lead_id, advertiser_id, event: changed.event.event }
  return { change, lead_id, advertiser_id, backend: backendView(changed.backend) }
}
