import { refuseCallbackUrl, refuseDialledAddress } from './callback-target.ts'

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

/** An egress for callbacks. Never throws: a failure is a response. */
export interface HttpEgress {
  send(request: CallbackRequest): Promise<CallbackResponse>
}

/** A callback whose URL was checked, and the check of the addresses that its host has. */
export interface Dial extends CallbackRequest {
  /** Why an address must not be dialled; undefined where it may. Called with the very address that is dialled. */
  readonly refuseAddress: (address: string) => string | undefined
}

/** Sends one HTTP GET: follows no redirect, reads no more of the response than its status, never throws. */
export interface Dialer {
  get(dial: Dial): Promise<CallbackResponse>
  /** Cuts what is under way. */
  close(): void
}

/** All headers that a callback may carry: those of its signature. */
const signatureHeaders: readonly string[] = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

/**
 * The one egress of the sandbox: a callback without a body, to a target that is allowed now and at an address that is
 * allowed when it is dialled. What is refused is not sent, and the response says why.
 */
export function createGuardedEgress(dialer: Pick<Dialer, 'get'>, allowedHosts: readonly string[]): HttpEgress {
  return {
    async send({ url, headers, timeoutMs }) {
      const refused = refuseCallbackUrl(url, allowedHosts)
      if (refused !== undefined) return { error: `not sent: the callback URL ${refused}` }
      const extra = Object.keys(headers).find(name => !signatureHeaders.includes(name))
      if (extra !== undefined) return { error: `not sent: a callback carries no header ${extra}` }
      const { hostname } = new URL(url)
      return dialer.get({ url, headers, timeoutMs, refuseAddress: address => refuseDialledAddress(hostname, address) })
    },
  }
}
