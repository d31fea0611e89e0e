import type { Account } from '@lead-distribution/contract'
import { acceptedOf, type Clock, leadToken, type Storage } from '@lead-distribution/engine'
import { advertiserLead, type BackendRequest, type ClosableEgress, isCutOff } from '../egress/guarded-egress.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { Timer } from '../time/clock.ts'
import type { Urls } from '../urls.ts'

/** The time a submission waits for advertisers' back ends, milliseconds. Slower ones are recorded after its response. */
const waitMs = 1_000

/** Timeout of a back end, milliseconds: as long as a receiver of callbacks by default. */
const timeoutMs = 10_000

/** Hands leads over to the back ends that a tenant's advertisers have on this machine. */
export interface HandOver {
  /**
   * Posts a lead to the back end of each advertiser that has it, and records the responses. Resolves when that is done, or
   * after a second: a real advertiser knows a lead before its customer comes, and a slow one delays nobody for long. The
   * decision stays the same.
   */
  deliver(leadId: string): Promise<void>
  /** Cuts the requests in flight; resolves when there are none. */
  stop(): Promise<void>
}

export interface HandOverOptions {
  readonly storage: Storage<SandboxTables>
  readonly egress: ClosableEgress<BackendRequest>
  readonly account: () => Account
  readonly urls: Urls
  readonly timer: Timer
  readonly clock: Clock
  /** Monotonic milliseconds, for durations. */
  readonly steadyClock: Clock
  readonly onError: (error: unknown) => void
}

export function createHandOver(options: HandOverOptions): HandOver {
  const { storage, egress, account, urls, timer, clock, steadyClock, onError } = options
  const inFlight = new Set<Promise<unknown>>()

  async function handOver(leadId: string): Promise<void> {
    const lead = await storage.read(tables => tables.findLead(leadId))
    const accepted = acceptedOf(lead?.deliveries ?? []).map(async ({ advertiser_id }) => {
      const url = account().advertisers.find(other => other.advertiser_id === advertiser_id)?.backend_url
      const postback_url = await postbackUrl(urls, account(), leadId, advertiser_id)
      if (!lead || url === undefined || postback_url === undefined) return
      const { product_data } = lead.submission
      const [at, start] = [clock.now(), steadyClock.now()]
      const body = advertiserLead({ lead_id: leadId, postback_url, base_url: urls.base, product_data })
      const response = await egress.send({ url, lead: body, timeoutMs })
      // The lead may be gone, or another lead may have its id.
      if (isCutOff(response)) return
      const ms = steadyClock.now() - start
      await storage.transact(tables => tables.recordBackendResponse(leadId, advertiser_id, { at, ...response, ms }))
    })
    await Promise.all(accepted)
  }

  return {
    async deliver(leadId) {
      if (account().advertisers.every(({ backend_url }) => backend_url === undefined)) return
      const work = handOver(leadId).catch(onError)
      inFlight.add(work)
      const late = Promise.withResolvers<void>()
      const cancel = timer.after(waitMs, late.resolve)
      void work.finally(() => {
        inFlight.delete(work)
        cancel()
      })
      await Promise.race([work, late.promise])
    },
    stop: () => egress.closedWhile(async () => void (await Promise.all(inFlight))),
  }
}

/** Makes the postback URL of a lead for an advertiser; undefined if the account does not have the advertiser. */
export async function postbackUrl(
  urls: Urls,
  { advertisers, settings }: Pick<Account, 'advertisers' | 'settings'>,
  lead_id: string,
  advertiser_id: string,
): Promise<string | undefined> {
  const advertiser = advertisers.find(other => other.advertiser_id === advertiser_id)
  if (!advertiser) return undefined
  const { postback_secret } = advertiser
  const token = await leadToken({ lead_id, advertiser_id, postback_secret }, settings.token_format)
  return `${urls.pixel(lead_id)}?token=${token}`
}
