import type { LeadSubmission } from '@lead-distribution/contract'
import { readScenario, type ScenarioWord, scenarioOfEmail } from '@lead-distribution/test-leads'
import type { BackOff, CallName } from '../call/retry.ts'
import { untilAborted } from '../call/send-request.ts'
import { checkOptions, type Known } from '../settings/known-options.ts'
import { resolveBaseUrl } from '../settings/service-address.ts'
import { type FakeAccount, fakeAccount, fakeBaseUrl } from './fake-account.ts'
import { type FakeReply, isLeadOutcome, networkError, respond, serve } from './fake-reply.ts'
import {
  type FakeRequest,
  readBody,
  readLine,
  refuseFields,
  refuseKey,
  refuseLine,
  refuseToken,
} from './fake-request.ts'

/**
 * A `fetch` that calls the fake service and never the network.
 * @throws TypeError the request goes to another host, or the test set `refused`, as `fetch` does without a connection.
 */
export type FakeFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** Options of a client of the fake service: spread them into the client's options. */
export interface FakeClient {
  /** The address of the fake service. */
  readonly baseUrl: string
  /** The key that it accepts. */
  readonly apiKey: string
  /** Calls the fake service. */
  readonly fetch: FakeFetch
  /** Any key at any address, one of plain http too. */
  readonly environment: 'sandbox'
  /** No waits between attempts: a test has no time for them. */
  readonly backOff: Readonly<BackOff>
  /** No key is at stake: tests in a page's environment may call. */
  readonly dangerouslyAllowBrowser: true
}

/** What {@link createFakeService} takes. */
export interface FakeServiceOptions {
  /** Its address, where the application under test has a fixed one. Default `https://fake.invalid/api/v1`. */
  readonly baseUrl?: string | undefined
}

/** A service of the specification behind a `fetch`, for unit tests: no server, no rules, no advertisers. */
export interface FakeService {
  /** Its base address, without a slash at its end. */
  readonly baseUrl: string
  /** Calls it. Rejects and waits as the runtime's own `fetch` does, and respects its signal; sends nothing anywhere. */
  readonly fetch: FakeFetch
  /** Its account: ids, keys, and the criteria that `createTestLeads` needs. */
  readonly account: FakeAccount
  /** For `createPublisher`. */
  readonly publisher: FakeClient
  /** For `createAdvertiser`. */
  readonly advertiser: FakeClient
  /** The requests that have reached it, in order. */
  readonly requests: readonly FakeRequest[]
  /** The replies of `next` that are still unused; empty where a test met all that it set. */
  readonly pending: readonly FakeReply[]
  /** Sets the replies to the next calls, one reply a call. An outcome of a lead waits for a submission. */
  next(...replies: readonly FakeReply[]): void
  /** Sets the reply to every call for which `next` has none. */
  always(reply: FakeReply): void
  /** Forgets all replies, requests and reports. */
  reset(): void
}

/**
 * A fake service. It refuses wrong requests as the service does: path, method, key, token, form. It applies no rejection
 * rule, those are in the sandbox: a submission is `distributed` unless `next`, `always` or the lead's own e-mail address
 * (`testLeads.scenario('age_restriction')`) sets another outcome. A status report is accepted, an event is `received`
 * and its repeat `ignored`.
 * @throws ConfigError `baseUrl` is no http or https URL.
 * @example
 * ```ts
 * import { createPublisher } from '@lead-distribution/publisher-sdk'
 * import { createFakeService, createTestLeads } from '@lead-distribution/publisher-sdk/testing'
 *
 * const service = createFakeService()
 * const publisher = createPublisher(service.publisher)
 * service.next('new', 'lost_reply') // one reply a call
 * await publisher.submit(createTestLeads(service.account).distributed()) // new
 * ```
 */
export function createFakeService(options: FakeServiceOptions = {}): FakeService {
  checkOptions('`createFakeService`', options, { baseUrl: 1 } satisfies Known<FakeServiceOptions>)
  const base = resolveBaseUrl({ baseUrl: options.baseUrl ?? fakeBaseUrl })
  const baseUrl = base.href.replace(/\/$/, '')
  const basePath = base.pathname.replace(/\/$/, '')
  const requests: FakeRequest[] = []
  const replies = createReplies()
  const reported = new Set<string>()

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    if (url.origin !== base.origin) throw networkError('ENOTFOUND', `the fake service is only at ${baseUrl}`)
    const line = readLine(request.method, url, basePath)
    const { draft } = line
    const { operation } = draft
    const refused = refuseLine(line) ?? refuseKey(draft, request.headers, url)
    // Before anything is awaited: concurrent calls get their replies in their order.
    const forced = operation && !refused ? replies.take(operation) : undefined
    if (forced === 'refused')
      throw networkError('ECONNREFUSED', 'the fake service refused the connection, as the test set')
    requests.push(draft)
    const unreadable = await readBody(request, draft)
    const wrong = refused ?? unreadable ?? (await refuseToken(draft, url)) ?? refuseFields(draft)
    const byEmail = operation === 'submitLead' && !forced && !wrong
    const reply = byEmail ? replies.ofLead(draft.body as LeadSubmission) : forced
    return respond(reply, draft, () => wrong ?? serve(draft, reply, reported))
  }

  const fetch: FakeFetch = (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    // Without its signal: a request would leave a listener on it.
    return untilAborted(signal, () => answer(new Request(input, { ...init, signal: null })))
  }

  return {
    baseUrl,
    fetch,
    account: fakeAccount,
    publisher: clientOf(baseUrl, fetch, fakeAccount.publisher.api_key),
    advertiser: clientOf(baseUrl, fetch, fakeAccount.advertisers[0].api_key),
    requests,
    pending: replies.pending,
    next: (...more) => void replies.pending.push(...more),
    always: replies.always,
    reset() {
      requests.length = 0
      replies.reset()
      reported.clear()
    },
  }
}

function clientOf(baseUrl: string, fetch: FakeFetch, apiKey: string): FakeClient {
  const backOff = { minDelayMs: 0, maxRetryAfterMs: 0 }
  return { baseUrl, apiKey, fetch, environment: 'sandbox', backOff, dangerouslyAllowBrowser: true }
}

/** The replies that a test sets. */
function createReplies() {
  const pending: FakeReply[] = []
  const submissions = new Map<string, number>()
  let everyTime: FakeReply | undefined
  return {
    pending,
    always(reply: FakeReply) {
      everyTime = reply
    },
    /** Takes the reply to the next call of an operation. */
    take(operation: CallName): FakeReply | undefined {
      const fits = (reply: FakeReply | undefined) => operation === 'submitLead' || !isLeadOutcome(reply)
      const index = pending.findIndex(fits)
      if (index >= 0) return pending.splice(index, 1)[0]
      return fits(everyTime) ? everyTime : undefined
    },
    /**
     * The scenario of a lead's own e-mail address, `<scenario>+<anything>@sandbox.test`. A chain has one step per
     * submission of the address, and repeats its last.
     */
    ofLead({ customer }: LeadSubmission): ScenarioWord | undefined {
      const email = customer.contact.email.address.toLowerCase()
      const steps = readScenario(scenarioOfEmail(email) ?? '') ?? []
      const submitted = submissions.get(email) ?? 0
      submissions.set(email, submitted + 1)
      return steps[Math.min(submitted, steps.length - 1)]
    },
    reset() {
      pending.length = 0
      submissions.clear()
      everyTime = undefined
    },
  }
}
