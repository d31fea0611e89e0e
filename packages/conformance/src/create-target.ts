import { keyHeader, leadToken } from '@lead-distribution/contract'
import { createTestLeads, withFields } from '@lead-distribution/contract/test-leads'
import { Unclear } from './conformance-case.ts'
import { assumedAccount, type Facts } from './facts.ts'
import { probes } from './interpretations/index.ts'
import type { Callbacks, CallOptions, Finding, Point, Target, TargetResponse } from './target.ts'

/** Sends requests, like the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Options of a target. */
export interface TargetOptions {
  /** The facts known about the service. */
  readonly facts: Facts
  /** Sends the requests; default: the global `fetch`. It must not follow redirects on its own. */
  readonly fetch?: Fetch
  /** The publisher's end of the callbacks, if there is one. */
  readonly callbacks?: Callbacks | undefined
  /** The time to wait for something that the service sends on its own, in milliseconds; default 3000. */
  readonly patienceMs?: number
}

/**
 * Creates a target from facts. Sends nothing yet.
 * @throws Error the account has no active product.
 */
export function createTarget({ facts, fetch = globalThis.fetch, callbacks, patienceMs = 3000 }: TargetOptions): Target {
  const { baseUrl, publisher, advertisers, account } = facts
  const leads = createTestLeads(account ?? assumedAccount(facts))
  const findings = new Map<Point, Promise<Finding>>()

  const target: Target = {
    facts,
    patienceMs,
    callbacks,
    testLeads: account && leads,
    call: (method, path, options = {}) => sendRequest(fetch, method, addressOf(baseUrl, path), options),
    submission: (changes = {}) => withFields(leads.distributed(), changes),
    submit: (body, options) => target.call('POST', '/lead', { key: publisher.api_key, body, ...options }),
    async distributedLead(changes) {
      const { status, json } = await target.submit(target.submission(changes))
      if (json?.status === 'distributed') return json.lead_id
      throw new Unclear(
        `A valid lead was not distributed (response: ${status} ${json?.status ?? json?.error ?? ''}): the target needs an advertiser that accepts a loan of 5000 over 24 months, or pass its criteria with --account.`,
      )
    },
    async postbackUrl(lead_id, place = 0) {
      const { advertiser_id, postback_secret } = advertisers[place] ?? {}
      const format = await target.interpretation('token_format')
      if (!advertiser_id || !postback_secret || !format)
        throw new Unclear('A postback URL cannot be signed: the token format of the target is unknown.')
      const token = await leadToken({ lead_id, advertiser_id, postback_secret }, format)
      return addressOf(baseUrl, `/lead/${lead_id}/status?token=${encodeURIComponent(token)}`)
    },
    async interpretation(point) {
      return (await target.finding(point)).interpretation
    },
    finding<P extends Point>(point: P) {
      const found = findings.get(point) ?? probes[point](target)
      findings.set(point, found)
      return found as Promise<Finding<P>>
    },
  }
  return target
}

/** Resolves a path below the base URL, or a full URL on the same host. */
function addressOf(baseUrl: string, path: string): string {
  if (path.startsWith('/')) return `${baseUrl}${path}`
  if (new URL(path).origin === new URL(baseUrl).origin) return path
  throw new Error('The request was not sent: it would leave the host of the target.')
}

/** Far above what any response needs. */
const responseTimeoutMs = 30_000

/** Sends a request. Redirects are not followed, so that no key goes to another host. */
async function sendRequest(
  fetch: Fetch,
  method: string,
  url: string,
  { key, headers = {}, body }: CallOptions,
): Promise<TargetResponse> {
  const isData = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
  const response = await fetch(url, {
    method,
    headers: {
      ...(isData && { 'content-type': 'application/json' }),
      ...(key !== undefined && { [keyHeader]: key }),
      ...headers,
    },
    body: isData ? JSON.stringify(body) : (body as string | Uint8Array<ArrayBuffer> | undefined),
    redirect: 'manual',
    signal: AbortSignal.timeout(responseTimeoutMs),
  } as RequestInit)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
