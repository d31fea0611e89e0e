import { statusUrl } from '../urls.ts'
import { type Place, refuseBackendUrl, refuseCallbackUrl, refuseDialedAddress } from './callback-target.ts'

/** A callback as an HTTP request: a GET without a body. */
export interface CallbackRequest {
  readonly url: string
  /** Signature headers, if the tenant signs its callbacks. */
  readonly headers: Readonly<Record<string, string>>
  /** Timeout of the whole exchange, in milliseconds. */
  readonly timeoutMs: number
  /** The number of the attempt, from 1, for the listener. Not sent to the receiver. */
  readonly attempt?: number
}

/**
 * The response to a callback: a status, with the receiver's headers and text if they were read, or the reason why there
 * is none.
 */
export type CallbackResponse =
  | { status: number; answer?: ReceivedAnswer; error?: never }
  | { status?: never; answer?: never; error: string }

/** A receiver's response, unmasked. */
export interface ReceivedAnswer {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /**
   * The first part of its body. May exceed {@link maxAnswerBytes}, so that a value across the later cut is masked before
   * it.
   */
  readonly text: string
  /** True if the body was longer, or did not arrive in time. */
  readonly truncated?: boolean
  /** True for a response of the sandbox's own inbox, which never echoes lead data. */
  readonly isOwn?: true
}

/** The maximum part of a response's body to store, in bytes. */
export const maxAnswerBytes = 2_048

/** The maximum part of a response's body to mask, in bytes. */
export const maxUnmaskedBytes = 2 * maxAnswerBytes

/** How long to wait for a response's body, in milliseconds. The status, which decides, is already there. */
export const answerMs = 250

/** Sends requests. A receiver's failure is a response; throws only if the sandbox's own storage fails. */
export interface RequestEgress<Request> {
  send(request: Request): Promise<CallbackResponse>
}

/** An egress for callbacks. */
export type HttpEgress = RequestEgress<CallbackRequest>

/** A lead as an advertiser's application receives it: the data needed to report on it, and no customer data. */
export interface AdvertiserLead {
  readonly lead_id: string
  /** Contains the token: never printed. */
  readonly postback_url: string
  /** The URL of the status update by body (Spec 4.2). */
  readonly status_url: string
  /** Euros. */
  readonly amount: number
  readonly term_months: number
}

/** The names of all fields that an advertiser's application receives. */
export const advertiserLeadFields: readonly string[] = [
  'lead_id',
  'postback_url',
  'status_url',
  'amount',
  'term_months',
] satisfies (keyof AdvertiserLead)[]

export interface AdvertiserLeadParts {
  readonly lead_id: string
  readonly postback_url: string
  readonly base_url: string
  readonly product_data: { readonly loan_amount: number; readonly loan_term_months: number }
}

export function advertiserLead({ lead_id, postback_url, base_url, product_data }: AdvertiserLeadParts): AdvertiserLead {
  const { loan_amount: amount, loan_term_months: term_months } = product_data
  return { lead_id, postback_url, status_url: statusUrl(base_url, lead_id), amount, term_months }
}

/** A lead to post to an advertiser's back end on this machine, as JSON. */
export interface BackendRequest {
  readonly url: string
  readonly lead: AdvertiserLead
  /** Timeout of the whole exchange, in milliseconds. */
  readonly timeoutMs: number
}

/** A callback with a checked URL, and the check for the addresses of its host. */
export interface Dial extends CallbackRequest {
  /** Returns the reason why an address must not be dialed; undefined if it may. Pass the exact address to dial. */
  readonly refuseAddress: (address: string) => string | undefined
}

/** A JSON POST with a checked URL. */
export interface PostDial extends Omit<Dial, 'headers'> {
  readonly json: string
}

/** Sends one HTTP request. Follows no redirects and never throws. */
export interface Dialer {
  get(dial: Dial): Promise<CallbackResponse>
  /** Reads only the status. Never repeats a request that may have arrived. */
  post(dial: PostDial): Promise<CallbackResponse>
  /** Aborts the requests in flight. */
  close(): void
}

/** The only headers that a callback may carry: its signature. */
const signatureHeaders: readonly string[] = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

/**
 * Creates the egress to advertisers' back ends. It sends only ids, URLs of this sandbox and two figures, and only to this
 * machine. No other host can be allowed, a shared sandbox must allow the port, and the address is checked when it is
 * dialed.
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
      const refuseAddress = (address: string) => refuseDialedAddress(target, address, place)
      return dialer.post({ url, timeoutMs, refuseAddress, json: JSON.stringify(lead) })
    },
  }
}

/** Creates the egress for callbacks. Checks the URL before sending and the address before dialing. */
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
      const refuseAddress = (address: string) => refuseDialedAddress(target, address, place)
      return dialer.get({ url, headers, timeoutMs, refuseAddress })
    },
  }
}

export interface ClosableEgress<Request = CallbackRequest> extends RequestEgress<Request> {
  /** Aborts the requests in flight and any sent while `run` is running, because their responses are obsolete. */
  closedWhile<Result>(run: () => Promise<Result>): Promise<Result>
}

const closed: CallbackResponse = { error: 'cut off: the tenant was restored or reset' }

/** Returns true if {@link ClosableEgress.closedWhile} aborted the request. */
export function isCutOff(response: CallbackResponse): boolean {
  return response === closed
}

export function createClosableEgress<Request>(egress: RequestEgress<Request>): ClosableEgress<Request> {
  const inFlight = new Set<() => void>()
  let closings = 0
  return {
    send(request) {
      if (closings > 0) return Promise.resolve(closed)
      return new Promise((resolve, reject) => {
        const end = () => resolve(closed)
        inFlight.add(end)
        egress
          .send(request)
          .then(resolve, reject)
          .finally(() => inFlight.delete(end))
      })
    },
    async closedWhile(run) {
      closings += 1
      for (const end of inFlight) end()
      try {
        return await run()
      } finally {
        closings -= 1
      }
    },
  }
}
