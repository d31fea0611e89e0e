import type { Clock, Egress } from '@lead-distribution/engine'
import { readSunk } from '../pages/sink.ts'
import type { Inbox } from './inbox.ts'

/** What the way to an inbox leads over. */
export interface InboxEgressOptions {
  readonly inbox: Inbox
  /** The URL of the inbox. */
  readonly url: string
  readonly clock: Clock
  /** Where all other callbacks go. */
  readonly outbound: Egress
}

/** The way out of one tenant: its own inbox is reached in process, alike through every door and by no socket to itself. */
export function createInboxEgress({ inbox, url, clock, outbound }: InboxEgressOptions): Egress {
  return {
    async send(callback, record) {
      if (!callback.url.startsWith(`${url}?`)) return outbound.send(callback, record)
      const { pathname, search } = new URL(callback.url)
      const target = `${pathname}${search}`
      return { status: await inbox.take(readSunk({ target, headers: callback.headers, received_at: clock.now() })) }
    },
  }
}
