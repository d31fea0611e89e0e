import { statusUrl } from '../urls.ts'
import { type Place, refuseBackendUrl, refuseCallbackUrl, refuseDialedAddress } from './callback-target.ts'

/** A callback as an HTTP request: a GET without a body. */
export interface CallbackRequest {
  readonly url: string
  /** Signature headers, where the tenant signs its callbacks. */
  readonly headers: Readonly<Record<string, string>>
  /** Timeout of the whole exchange, milliseconds. */
  readonly timeoutMs: number
  /** The number of the attempt, from 1, for those who are told of it; it is not sent. */
  readonly attempt?: number
}

/** The response to a callback: a status, with the receiver's answer if it was read, or the reason why there is none. */
export type CallbackResponse =
  | { status: number; answer?: ReceivedAnswer; error?: never }
  | { status?: never; answer?: never; error: string }

/** A receiver's answer as it came in. */
export interface ReceivedAnswer {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The first part of its body, more than {@link maxAnswerBytes} if there is: what straddles the cut is masked before it. */
  readonly text: string
  /** True if there was more, or it did not come in time. */
  readonly truncated?: boolean
  /** True for that of the sandbox's own inbox, which repeats nothing of a lead. */
  readonly isOwn?: true
}

/** The largest part of an answer's body that is kept, bytes. */
export const maxAnswerBytes = 2_048

/** The largest part of an answer's body that is handed on to be masked, bytes. */
export const maxUnmaskedBytes = 2 * maxAnswerBytes

/** The longest that the body of an answer is waited for, milliseconds: the status is there already, and decides. */
export const answerMs = 250

/** Sends requests. A failure of the receiver is a response; it throws only if the sandbox cannot store what it needs. */
export interface RequestEgress<Request> {
  send(request: Request): Promise<CallbackResponse>
}

/** An egress for callbacks. */
export type HttpEgress = RequestEgress<CallbackRequest>

/** A lead as an advertiser's application receives it: how to report on it, and nothing of the customer. */
export interface AdvertiserLead {
  readonly lead_id: string
  /** Holds its token: never printed. */
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

/** A lead on its way to an advertiser's back end on this machine, as JSON. */
export interface BackendRequest {
  readonly url: string
  readonly lead: AdvertiserLead
  /** Timeout of the whole exchange, milliseconds. */
  readonly timeoutMs: number
}

/** A callback whose URL was checked, and the check of the addresses that its host has. */
export interface Dial extends CallbackRequest {
  /** Returns why an address must not be dialed; undefined if it may. Call it with the very address that is dialed. */
  readonly refuseAddress: (address: string) => string | undefined
}

/** A POST of JSON whose URL was checked. */
export interface PostDial extends Omit<Dial, 'headers'> {
  readonly json: string
}

/** Sends one HTTP request: follows no redirect, never throws. */
export interface Dialer {
  get(dial: Dial): Promise<CallbackResponse>
  /** Reads no more than the status. Never repeats a request that may have arrived. */
  post(dial: PostDial): Promise<CallbackResponse>
  /** Cuts the requests in flight. */
  close(): void
}

/** All headers that a callback may carry: those of its signature. */
const signatureHeaders: readonly string[] = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

/**
 * Creates the egress to advertisers' back ends. It sends ids, addresses of this sandbox and two figures, to this machine: no
 * other host can be allowed, on a shared sandbox its port must be, and the address is checked when it is dialed.
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

/** Creates the egress for callbacks. Checks the target when it is sent and the address when it is dialed. */
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
  /** Ends the requests in flight, and those sent while `run` is running: nobody wants their responses any more. */
  closedWhile<Result>(run: () => Promise<Result>): Promise<Result>
}

const closed: CallbackResponse = { error: 'cut off: the tenant was restored or reset' }

/** Returns true if a request was ended by {@link ClosableEgress.closedWhile}. */
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
