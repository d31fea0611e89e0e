import { keyHeader, leadToken } from '@lead-distribution/contract'
import { createTestLeads, withFields } from '@lead-distribution/contract/test-leads'
import { Unclear } from './case.ts'
import { assumedAccount, type Facts } from './facts.ts'
import { checkOptions } from './options.ts'
import { probe } from './probes/index.ts'
import type { Callbacks, CallOptions, Finding, Point, Target, TargetResponse } from './target.ts'

/**
 * Sends requests, like the global `fetch`.
 * @category Client
 */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * The options of a target.
 * @category Options
 */
export interface TargetOptions {
  /** The known facts about the service. */
  readonly facts: Facts
  /** Sends the requests. Default: the global `fetch`. Must not follow redirects. */
  readonly fetch?: Fetch
  /** The publisher's end of the callbacks, if any. */
  readonly callbacks?: Callbacks | undefined
  /** The time to wait for something that the service sends on its own, in milliseconds. Default: 3000. */
  readonly patienceMs?: number
  /** The time to wait for a response, in milliseconds. Default: 30000. */
  readonly timeoutMs?: number
}

/**
 * Creates a target from facts. Sends nothing yet.
 * @throws Error if the account has no active product, or an option is unknown.
 * @category Client
 */
export function createTarget(options: TargetOptions): Target {
  checkOptions('createTarget', options, ['facts', 'fetch', 'callbacks', 'patienceMs', 'timeoutMs'])
  const { facts, fetch = globalThis.fetch, callbacks, patienceMs = 3000, timeoutMs = 30_000 } = options
  const { baseUrl, publisher, advertisers, account } = facts
  const leads = createTestLeads(account ?? assumedAccount(facts))
  const findings = new Map<Point, Promise<Finding>>()

  const target: Target = {
    facts,
    patienceMs,
    callbacks,
    testLeads: account && leads,
    call: (method, path, options = {}) => sendRequest(fetch, timeoutMs, method, addressOf(baseUrl, path), options),
    submission: (changes = {}) => withFields(leads.distributed(), changes),
    submit: (body, options) => target.call('POST', '/lead', { key: publisher.api_key, body, ...options }),
    async distributedLead(changes) {
      const { status, json } = await target.submit(target.submission(changes))
      if (json?.status === 'distributed') return json.lead_id
      throw new Unclear(
        `A valid lead was not distributed (response: ${status} ${json?.status ?? json?.error ?? ''}): the target needs an advertiser that accepts a loan of 5000 over 24 months. Otherwise, pass the criteria with --account.`,
      )
    },
    async postbackUrl(lead_id, place = 0) {
      const { advertiser_id, postback_secret } = advertisers[place] ?? {}
      const format = await target.interpretation('token_format')
      if (!advertiser_id || !postback_secret || !format)
        throw new Unclear("The postback URL can't be signed: the target's token format is unknown.")
      const token = await leadToken({ lead_id, advertiser_id, postback_secret }, format)
      return addressOf(baseUrl, `/lead/${lead_id}/status?token=${encodeURIComponent(token)}`)
    },
    async interpretation(point) {
      return (await target.finding(point)).interpretation
    },
    finding<P extends Point>(point: P) {
      const found = findings.get(point) ?? probe(target, point)
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
  throw new Error("The request was not sent: it would leave the target's host.")
}

/** The maximum body size that is read, in bytes. The service's responses are far smaller. */
const maxResponseBytes = 1_048_576

/** Sends a request. Redirects are not followed, so that no key goes to another host. */
async function sendRequest(
  fetch: Fetch,
  timeoutMs: number,
  method: string,
  url: string,
  { key, headers = {}, body }: CallOptions,
): Promise<TargetResponse> {
  const isData = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
  const aborter = new AbortController()
  const exchange = async () => {
    const response = await fetch(url, {
      method,
      headers: {
        ...(isData && { 'content-type': 'application/json' }),
        ...(key !== undefined && { [keyHeader]: key }),
        ...headers,
      },
      body: isData ? JSON.stringify(body) : (body as string | Uint8Array<ArrayBuffer> | undefined),
      redirect: 'manual',
      signal: aborter.signal,
    } as RequestInit)
    const text = await readText(response)
    return { status: response.status, headers: response.headers, text, json: parsed(text) }
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  // A custom `fetch` may ignore the signal.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no response within ${timeoutMs / 1000} s`))
      aborter.abort()
    }, timeoutMs)
  })
  return Promise.race([exchange(), late]).finally(() => clearTimeout(timer))
}

/**
 * Reads a body as text.
 * @throws Error if the body is too large.
 */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the body.
    if (bytes > maxResponseBytes) throw new Error(`a response larger than ${maxResponseBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
