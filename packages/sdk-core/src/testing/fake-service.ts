import type { LeadSubmission } from '@lead-distribution/contract'
import type { BackOff } from '../call/back-off.ts'
import type { CallName } from '../call/retry-table.ts'
import { resolveBaseUrl } from '../settings/base-url.ts'
import { type FakeAccount, fakeAccount, fakeBaseUrl } from './fake-account.ts'
import { type FakeReply, isLeadWord } from './fake-reply.ts'
import { type FakeRequest, readLine } from './fake-request.ts'
import { wordOfLead } from './fake-scenario.ts'
import { networkFault, untilAborted } from './network-fault.ts'
import { play } from './play.ts'
import { readBody, refuseFields, refuseLine } from './refuse.ts'
import { refuseKey, refuseToken } from './refuse-caller.ts'
import { serve } from './serve.ts'

/** A `fetch` that asks the fake service and never the network. */
export type FakeFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** What a client of the fake service is made with: spread it into the client's options. */
export interface FakeClient {
  /** Where the fake service stands. */
  readonly baseUrl: string
  /** The key that it takes. */
  readonly apiKey: string
  /** Asks the fake service. */
  readonly fetch: FakeFetch
  /** Any key at any address, one of plain http too. */
  readonly environment: 'sandbox'
  /** No waits between attempts: a test has no time for them. */
  readonly backOff: Readonly<BackOff>
  /** No key is at stake: tests in a page's environment may call. */
  readonly dangerouslyAllowBrowser: true
}

/** How a fake service is made. */
export interface FakeServiceOptions {
  /** Where it stands, where the application under test has its address fixed. Default `https://fake.invalid/api/v1`. */
  readonly baseUrl?: string | undefined
}

/** A service of the specification behind a `fetch`, for unit tests: no server, no rules, no advertisers. */
export interface FakeService {
  /** Its base address, without a slash at its end. */
  readonly baseUrl: string
  /** Asks it. Rejects and waits as the runtime's own `fetch` does, and obeys its signal; sends nothing anywhere. */
  readonly fetch: FakeFetch
  /** Its account: ids, keys, and the criteria that `createTestLeads` asks for. */
  readonly account: FakeAccount
  /** For `createPublisher`. */
  readonly publisher: FakeClient
  /** For `createAdvertiser`. */
  readonly advertiser: FakeClient
  /** What has reached it, in order. */
  readonly requests: readonly FakeRequest[]
  /** What `next` still has to play; empty where a test met all that it set. */
  readonly pending: readonly FakeReply[]
  /** Answers the next calls so, one reply a call. A word of a lead's outcome waits for a submission. */
  next(...replies: readonly FakeReply[]): void
  /** Answers every call so for which `next` has nothing. */
  always(reply: FakeReply): void
  /** Forgets what was set, sent and reported. */
  reset(): void
}

/**
 * A fake service. It refuses what is no right request, as the service does: path, method, key, token, form. It
 * judges no lead, the rules stand in the sandbox: a submission is `distributed` unless `next`, `always` or the lead's
 * own e-mail address (`testLeads.scenario('age_restriction')`) says otherwise. A status report is taken, an event is
 * `received` and its repeat `ignored`.
 * @throws ConfigError `baseUrl` is no http or https URL.
 */
export function createFakeService(options: FakeServiceOptions = {}): FakeService {
  const base = resolveBaseUrl({ baseUrl: options.baseUrl ?? fakeBaseUrl })
  const [baseUrl, basePath] = [base.href, base.pathname].map(text => text.replace(/\/$/, '')) as [string, string]
  const requests: FakeRequest[] = []
  const pending: FakeReply[] = []
  const plays = new Map<string, number>()
  const reported = new Set<string>()
  let everyTime: FakeReply | undefined

  function take(operation: CallName): FakeReply | undefined {
    const fits = (reply: FakeReply | undefined) => operation === 'submitLead' || !isLeadWord(reply)
    const index = pending.findIndex(fits)
    if (index >= 0) return pending.splice(index, 1)[0]
    return fits(everyTime) ? everyTime : undefined
  }

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    if (url.origin !== base.origin) throw networkFault('ENOTFOUND', `the fake service stands at ${baseUrl} alone`)
    const line = readLine(request.method, url, basePath)
    const { draft } = line
    const { operation } = draft
    const refused = refuseLine(line) ?? refuseKey(draft, request.headers, url)
    // Before anything is awaited: calls made at once are answered in their order.
    const ordered = operation && !refused ? take(operation) : undefined
    if (ordered === 'refused')
      throw networkFault('ECONNREFUSED', 'the fake service refused the connection, as the test asked for')
    requests.push(draft)
    const unreadable = await readBody(request, draft)
    const wrong = refused ?? unreadable ?? (await refuseToken(draft, url)) ?? refuseFields(draft)
    const asksItself = operation === 'submitLead' && !ordered && !wrong
    const word = asksItself ? wordOfLead(draft.body as LeadSubmission, plays) : ordered
    return play(word, draft, () => wrong ?? serve(draft, word, reported))
  }

  const fetch: FakeFetch = async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    signal?.throwIfAborted()
    // Without its signal: a request would hang a listener on it that nobody takes off.
    return await untilAborted(signal, answer(new Request(input, { ...init, signal: null })))
  }

  const client = (apiKey: string): FakeClient => ({
    baseUrl,
    apiKey,
    fetch,
    environment: 'sandbox',
    backOff: { firstMs: 0, retryAfterMs: 0 },
    dangerouslyAllowBrowser: true,
  })

  return {
    baseUrl,
    fetch,
    account: fakeAccount,
    publisher: client(fakeAccount.publisher.api_key),
    advertiser: client(fakeAccount.advertisers[0].api_key),
    requests,
    pending,
    next: (...replies) => void pending.push(...replies),
    always(reply) {
      everyTime = reply
    },
    reset() {
      requests.length = pending.length = 0
      plays.clear()
      reported.clear()
      everyTime = undefined
    },
  }
}
