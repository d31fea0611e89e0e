import type { Clock, Egress } from '@lead-distribution/engine'
import { sink } from '../pages/sink.ts'
import type { Urls } from '../pages/urls.ts'
import type { SandboxStorage } from '../ports/sandbox-storage.ts'

/** What the way to an inbox leads over. */
export interface InboxEgressOptions {
  readonly storage: SandboxStorage
  readonly urls: Urls
  /** The name of the tenant whose callbacks they are. */
  readonly tenant: string
  readonly clock: Clock
  /** Where all other callbacks go. */
  readonly outbound: Egress
}

/** The way out of one tenant: its own inbox is reached in process, alike through every door and by no socket to itself. */
export function createInboxEgress({ storage, urls, tenant, clock, outbound }: InboxEgressOptions): Egress {
  const inbox = urls.sink(tenant)
  return {
    async send(callback) {
      if (!callback.url.startsWith(`${inbox}?`)) return outbound.send(callback)
      const { pathname, search } = new URL(callback.url)
      const received_at = clock.now()
      const { status } = await sink(storage, tenant, {
        target: `${pathname}${search}`,
        headers: callback.headers,
        received_at,
      })
      return { status }
    },
  }
}
