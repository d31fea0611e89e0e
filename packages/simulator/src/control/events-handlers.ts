import type { StreamOf } from '../storage/shared-storage.ts'
import { maxStreams } from '../stream/event-hub.ts'
import type { Change } from '../stream/observe-storage.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { tooManyAtOnce } from '../tenants/waiting-calls.ts'
import { shownAt } from '../time/clock.ts'
import { callbackView } from './callbacks-handlers.ts'
import { type ControlContext, type ControlHandlers, iso, onTenants, openTo } from './context.ts'
import type { eventOperations } from './events.ts'
import { requestView } from './journal-handlers.ts'
import { backendView } from './leads-handlers.ts'

const tooMany = tooManyAtOnce(
  `${maxStreams} of these streams are open already. Close those that nobody reads any more.`,
)

/** The handlers of the operations that stream. No lock of a tenant is held while a stream goes on. */
export function eventHandlers(context: ControlContext): ControlHandlers<typeof eventOperations> {
  const { events, registry } = context
  const onTenant = onTenants(context)

  async function open(tenants: readonly Tenant[], { 'last-event-id': last }: Headers, of: StreamOf) {
    const stream = events.read(of, last)
    if (!stream) return tooMany
    try {
      // What was begun while nobody watched is committed now: a list that is read from here on has it.
      await Promise.all([registry.settleElsewhere?.(of), ...tenants.map(tenant => tenant.commit())])
    } catch (error) {
      await stream.return()
      throw error
    }
    return { stream }
  }

  return {
    streamEvents: onTenant((tenant, { headers }) => open([tenant], headers, tenant.record.tenant)),
    streamAllEvents: (principal, { headers }) => open(openTo(principal, context), headers, principal.tenant ?? null),
  }
}

type Headers = Readonly<Record<string, string | undefined>>

/** What a stream shows of a change: ids and what was decided of a lead, of all else what its own operation shows. */
export function changeView(change: Change, realNow: number): object {
  switch (change.type) {
    case 'lead':
      return leadChangeView(change)
    case 'callback':
      return { callback: callbackView(change.callback, change) }
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
