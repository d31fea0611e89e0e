import { type AdvertiserLead, advertiserLeadFields } from './advertiser-lead.ts'
import { type Place, refuseBackendUrl, refuseCallbackUrl, refuseDialledAddress } from './callback-target.ts'

/** A callback as an HTTP request: a GET without a body. */
export interface CallbackRequest {
  readonly url: string
  /** Signature headers, where the tenant signs its callbacks. */
  readonly headers: Readonly<Record<string, string>>
  /** How long the whole exchange may take, milliseconds. */
  readonly timeoutMs: number
}

/** What came back: a status, or the reason why none did. */
export type CallbackResponse = { status: number; error?: never } | { status?: never; error: string }

/** Sends requests. Never throws: a failure is a response. */
export interface RequestEgress<Request> {
  send(request: Request): Promise<CallbackResponse>
}

/** An egress for callbacks. */
export type HttpEgress = RequestEgress<CallbackRequest>

/** A lead on its way to an advertiser's back end on this machine, as JSON. */
export interface BackendRequest {
  readonly url: string
  readonly lead: AdvertiserLead
  /** How long the whole exchange may take, milliseconds. */
  readonly timeoutMs: number
}

/** A callback whose URL was checked, and the check of the addresses that its host has. */
export interface Dial extends CallbackRequest {
  /** Why an address must not be dialled; undefined where it may. Called with the very address that is dialled. */
  readonly refuseAddress: (address: string) => string | undefined
}

/** A POST of JSON whose URL was checked. */
export interface PostDial extends Omit<Dial, 'headers'> {
  readonly json: string
}

/** Sends one HTTP request: follows no redirect, reads no more of the response than its status, never throws. */
export interface Dialer {
  get(dial: Dial): Promise<CallbackResponse>
  /** Never repeats what may have arrived. */
  post(dial: PostDial): Promise<CallbackResponse>
  /** Cuts what is under way. */
  close(): void
}

/** All headers that a callback may carry: those of its signature. */
const signatureHeaders: readonly string[] = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

/**
 * The egress to advertisers' back ends: ids, addresses of this sandbox and two figures, to this machine. No other host can
 * be allowed, on a shared sandbox its port has to be, and the address is checked when it is dialled.
 */
export function createBackendEgress(
  dialer: Pick<Dialer, 'post'>,
  allowedHosts: () => readonly string[],
  place?: Place,
): RequestEgress<BackendRequest> {
  return {
    async send({ url, lead, timeoutMs }) {
      const refused = refuseBackendUrl(url, allowedHosts(), place)
      if (refused !== undefined) return { error: `not sent: the back end's URL ${refused}` }
      const extra = Object.keys(lead).find(name => !advertiserLeadFields.includes(name))
      if (extra !== undefined) return { error: `not sent: a back end receives no field ${extra}` }
      const target = new URL(url)
      const refuseAddress = (address: string) => refuseDialledAddress(target, address, place)
      return dialer.post({ url, timeoutMs, refuseAddress, json: JSON.stringify(lead) })
    },
  }
}

/**
 * The egress for callbacks: a callback without a body, to a target that is allowed when it is sent and at an address
 * that is allowed when it is dialled. What is refused is not sent, and the response says why.
 */
export function createGuardedEgress(
  dialer: Pick<Dialer, 'get'>,
  allowedHosts: () => readonly string[],
  place?: Place,
): HttpEgress {
  return {
    async send({ url, headers, timeoutMs }) {
      const refused = refuseCallbackUrl(url, allowedHosts(), place)
      if (refused !== undefined) return { error: `not sent: the callback URL ${refused}` }
      const extra = Object.keys(headers).find(name => !signatureHeaders.includes(name))
      if (extra !== undefined) return { error: `not sent: a callback carries no header ${extra}` }
      const target = new URL(url)
      const refuseAddress = (address: string) => refuseDialledAddress(target, address, place)
      return dialer.get({ url, headers, timeoutMs, refuseAddress })
    },
  }
}
