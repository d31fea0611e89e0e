import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CallbackReceiver,
  createCallbackReceiver,
  createCallbackUrl,
  type VerifiedCallbackEvent,
} from '@lead-distribution/publisher-sdk/callbacks'
import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'

/** The time that the demo waits for a callback, milliseconds. */
const patienceMs = 10_000

/** Starts a publisher's server for verified callbacks on a free port of this machine. */
export async function startCallbackInbox(signingSecret: string) {
  const events: VerifiedCallbackEvent[] = []
  const arrivals = new EventTarget()
  // The URL needs the port, and the receiver needs the secret of the URL, so the server listens first.
  let receive: CallbackReceiver = async () => new Response(null, { status: 503 })
  const server = createServer(nodeCallbacks((request, peer) => receive(request, peer)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { url, secret } = createCallbackUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`)
  receive = createCallbackReceiver({
    verify: { urlSecrets: [secret], signature: { secrets: [signingSecret] } },
    handle: event => {
      events.push(event)
      arrivals.dispatchEvent(new Event('callback'))
    },
  })
  return {
    url,
    /** Waits for the oldest callback that was not returned yet. */
    async next(): Promise<VerifiedCallbackEvent> {
      if (events.length === 0) await once(arrivals, 'callback', { signal: AbortSignal.timeout(patienceMs) })
      const event = events.shift()
      if (!event) throw new Error('No callback came.')
      return event
    },
    async close(): Promise<void> {
      server.close()
      server.closeAllConnections()
    },
  }
}
