import type { CallbackEvent } from './callback-event.ts'
import type { CallbackClaims } from './claims.ts'
import type { AssuranceOf, CallbackVerification } from './verification.ts'

/**
 * Takes one callback. A promise is waited for, and what it gives is not looked at. What it throws makes the reply a
 * `500`, and the service sends the callback again.
 */
export type CallbackHandler<Event extends CallbackEvent> = (event: Event) => unknown

/** Why a request was not taken as a callback. Holds nothing of the request. */
export interface CallbackRefusal {
  /** HTTP status of the reply. */
  status: number
  /** Why, in a few words. */
  reason: string
}

/** Which leads are the publisher's, and where callbacks of others go. */
export type LeadKnowledge<Event extends CallbackEvent> =
  | {
      /** Whether the publisher has this lead on record. */
      isKnownLead: (lead_id: string) => boolean | Promise<boolean>
      /**
       * Keeps a callback of a lead that is not on record. It may be genuine: the reply that carried the lead's id
       * may have been lost. It is acknowledged, and claims nothing, so this may see it twice.
       */
      park: CallbackHandler<Event>
    }
  | { isKnownLead?: never; park?: never }

/** What `createCallbackReceiver` takes. */
export type ReceiverOptions<Verification extends CallbackVerification> = {
  /** What a callback must prove. */
  verify: Verification
  /**
   * Takes each event of each lead once. Be quick, or put it into a queue: the service gives up waiting (its sandbox
   * after 10 s). A handler that demands a verified event does not compile on a receiver that verifies less.
   */
  handle: CallbackHandler<CallbackEvent<AssuranceOf<Verification>>>
  /** Remembers what was handled. Default: in memory. */
  claims?: CallbackClaims | undefined
  /**
   * Addresses that callbacks may come from: IPv4 addresses and networks (`203.0.113.0/24`), IPv6 addresses as the
   * runtime writes them. Needs the peer's address, which the adapters give; without it every request is refused.
   */
  allowedIps?: readonly string[] | undefined
  /** Told of each request that was not taken, for logs. */
  onRefusal?: ((refusal: CallbackRefusal) => void) | undefined
  /** Told of what `handle`, `park`, `isKnownLead` and `claims` threw, for logs. */
  onError?: ((error: unknown) => void) | undefined
} & LeadKnowledge<CallbackEvent<AssuranceOf<Verification>>>

/** What the adapter knows of a request besides the request. */
export interface CallbackPeer {
  /** Address of whoever sent it. */
  ip?: string | undefined
  /** The request target as received, `/path?query`, where a proxy or a framework changed it. */
  target?: string | undefined
}

/**
 * Receives callbacks. Never rejects. Servers of the web's `Request` take it as `request => receive(request)`: Hono's as
 * `c => receive(c.req.raw)`, Deno's as `(request, info) => receive(request, { ip: info.remoteAddr.hostname })`.
 */
export type CallbackReceiver = (request: Request, peer?: CallbackPeer) => Promise<Response>
