import { leadToken } from '@lead-distribution/contract'
import { createTestLeads } from '@lead-distribution/test-leads'
import type { Callbacks } from './callbacks.ts'
import { assumedAccount, type Facts } from './facts.ts'
import type { Finding, Point } from './interpretations/finding.ts'
import { probes } from './interpretations/index.ts'
import { Unclear } from './mismatch.ts'
import { type Fetch, sendRequest } from './send-request.ts'
import { type Target, withChanges } from './target.ts'

/** What a target is reached by. */
export interface TargetOptions {
  /** What is known of the service. */
  readonly facts: Facts
  /** How requests go out; the global `fetch` by default. It must not follow redirects by itself. */
  readonly fetch?: Fetch
  /** The publisher's end of the callbacks, where there is one. */
  readonly callbacks?: Callbacks | undefined
  /** How long to wait for what the service sends by itself, milliseconds. 3000 by default. */
  readonly patienceMs?: number
}

/**
 * The service that has these facts. Nothing is sent yet.
 * @throws Error the account of the facts has no active product.
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
    submission: (changes = {}) => withChanges(leads.distributed(), changes),
    submit: (body, options) => target.call('POST', '/lead', { key: publisher.api_key, body, ...options }),
    async distributedLead(changes) {
      const { status, json } = await target.submit(target.submission(changes))
      if (json?.status === 'distributed') return json.lead_id
      throw new Unclear(
        `A valid lead was answered ${status} ${json?.status ?? json?.error ?? ''} and not distributed: give the target an advertiser that takes a loan of 5000 over 24 months, or its criteria by --account.`,
      )
    },
    async postbackUrl(lead_id, place = 0) {
      const { advertiser_id, postback_secret } = advertisers[place] ?? {}
      const format = await target.interpretation('token_format')
      if (!advertiser_id || !postback_secret || !format)
        throw new Unclear('The token of a postback URL cannot be made: how the target makes it was not found out.')
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

/** A path below the base address, or a whole URL of its host. */
function addressOf(baseUrl: string, path: string): string {
  if (path.startsWith('/')) return `${baseUrl}${path}`
  if (new URL(path).origin === new URL(baseUrl).origin) return path
  throw new Error('A request would leave the host of the target: it is not sent.')
}
