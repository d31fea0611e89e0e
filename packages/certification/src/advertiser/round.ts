import { setTimeout as sleep } from 'node:timers/promises'
import { advertiserEnvironment, canonicalEvent, type PixelEvent, type Settings } from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/control-client'
import { type AdvertiserLead, advertiserLead } from '@lead-distribution/simulator'
import { type Check, type Finding, failed, jsonObject, notSeen, type ProfileName, until } from '../check.ts'
import { type Application, runCommand } from '../run-command.ts'
import type { CertificationSandbox, Override, RecordedRequest } from '../sandbox.ts'

/** A request from the advertiser's application about a lead. Contains tokens: never printed. */
export interface ReportRequest {
  readonly request: RecordedRequest
  /** The first UUID of the path, in lower case. */
  readonly lead_id: string
  /** `pixel` if it has a token or its method has no body (Spec 4.3), else `body` (Spec 4.2). */
  readonly form: 'pixel' | 'body'
  readonly name: string | undefined
  /** The event by its name in the pixel's enumeration. */
  readonly event: string | undefined
  /** The token, decoded once. */
  readonly token: string | undefined
}

const uuidIn = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** Reads a request to any path as a report; returns undefined if the path contains no lead id. */
export function reportOf(request: RecordedRequest): ReportRequest | undefined {
  const [place, search] = halves(request.target)
  const lead_id = uuidIn.exec(place)?.[0].toLowerCase()
  if (lead_id === undefined) return undefined
  const query = new URLSearchParams(search)
  const token = query.get('token') ?? undefined
  const form = token !== undefined || ['GET', 'HEAD'].includes(request.method) ? 'pixel' : 'body'
  const name = form === 'pixel' ? query.getAll('event').at(-1) : statusIn(request.body)
  return { request, lead_id, form, name, event: name && canonicalEvent(name), token }
}

function statusIn(body: string): string | undefined {
  const status = jsonObject(body)?.status
  return typeof status === 'string' ? status : undefined
}

export function halves(target: string): readonly [path: string, query: string] {
  const place = target.indexOf('?')
  return place < 0 ? [target, ''] : [target.slice(0, place), target.slice(place + 1)]
}

/** Returns true if the sender got a 2xx. */
export const isTaken = (report: ReportRequest): boolean => statusClass(report) === 2

/** Returns true if the sender got a 4xx: the same request would get it again. */
const isRefused = (report: ReportRequest): boolean => statusClass(report) === 4

/** Returns the first digit of the status that the sender got; undefined without a response. */
function statusClass({ request: { response } }: ReportRequest): number | undefined {
  return response && response.broken === undefined ? Math.floor(response.status / 100) : undefined
}

/** Access to an advertiser's application. */
export interface AdvertiserApplication extends Application {
  /** The command or URL that makes it fire a lead's postback URL. */
  readonly postback: string
  /** The command or URL that makes it report in a JSON request, if it can. */
  readonly reportCommand?: string | undefined
  /** The time in which a report must succeed, including retries, milliseconds. */
  readonly patienceMs: number
  /** The time to watch for unwanted requests, milliseconds. */
  readonly quietMs: number
}

export interface Reported {
  /** The requests about the lead, including those of earlier reports, oldest first. */
  readonly requests: readonly ReportRequest[]
  readonly taken: ReportRequest | undefined
  /** A problem of the application itself, a sentence; empty if there is none. */
  readonly trouble: string
}

export interface ReportOptions {
  /** True to make it report in a JSON request, if it can. */
  readonly byJson?: boolean
  /** Waits until this holds for the requests about the lead. Default: until the event is recorded or refused. */
  readonly done?: (requests: readonly ReportRequest[]) => boolean
}

export type AdvertiserRound = Awaited<ReturnType<typeof openAdvertiserRound>>

export type AdvertiserCheck = Check<AdvertiserRound, 'requests'>

/** Begins a round of an advertiser's certification: one pass over the checks, under one profile. */
export async function openAdvertiserRound(
  sandbox: CertificationSandbox,
  profile: ProfileName,
  application: AdvertiserApplication,
) {
  const { postback, reportCommand, patienceMs, quietMs } = application
  const { recorder, account, tenant } = sandbox
  await sandbox.enter(profile)
  const first = recorder.requests.length
  let isSilent = false

  const requests = () => recorder.requests.slice(first).flatMap(request => reportOf(request) ?? [])
  const requestsOf = ({ lead_id }: Pick<AdvertiserLead, 'lead_id'>) =>
    requests().filter(each => each.lead_id === lead_id)

  return {
    patienceMs,
    quietMs,
    tenant,
    account,
    /** If nothing ever arrived, another check would wait just as long for nothing. */
    missing: (_need: 'requests') =>
      isSilent ? 'The application sent nothing during the first check: fix that check first.' : undefined,
    /** All requests of this round, oldest first. */
    requests,
    requestsOf,
    /** Submits a lead that the account's first advertiser accepts: that advertiser is the application. */
    async newLead(): Promise<AdvertiserLead> {
      const { base_url, advertisers } = account()
      const { lead_id, lead } = await sandbox.submitTestLead()
      const { deliveries } = await tenant.leads.show(lead_id)
      const own = deliveries.find(({ advertiser_id }) => advertiser_id === advertisers[0]?.advertiser_id)
      if (own?.postback_url === undefined)
        throw new Error("The account's first advertiser did not accept its test lead.")
      return advertiserLead({ lead_id, postback_url: own.postback_url, base_url, product_data: lead.product_data })
    },
    /** Changes the account's settings until disposed of. */
    async change(settings: Partial<Settings>): Promise<AsyncDisposable> {
      await sandbox.enter(profile, settings)
      return { [Symbol.asyncDispose]: () => sandbox.enter(profile) }
    },
    /** Responds to requests about a lead instead of the service, until disposed of. */
    answer(lead: Pick<AdvertiserLead, 'lead_id'>, by: Override): Disposable {
      const isOfLead = (request: RecordedRequest) => reportOf(request)?.lead_id === lead.lead_id
      return recorder.override((request, answer) => (isOfLead(request) ? by(request, answer) : answer()))
    },
    /** Makes the application report an event, and waits until it is recorded or refused, or until `done`. */
    async report(
      lead: AdvertiserLead,
      event: PixelEvent,
      { byJson = false, done }: ReportOptions = {},
    ): Promise<Reported> {
      const ofEvent = () => requestsOf(lead).filter(each => each.event === event)
      const from = requestsOf(lead).length
      const isRecorded = () => ofEvent().some(isTaken) || requestsOf(lead).slice(from).some(isRefused)
      const way = (byJson && reportCommand) || postback
      const isUrl = /^https?:\/\//i.test(way)
      const trouble = await (isUrl ? post : run)(application, way, { ...lead, event }, account())
      const hasCome = trouble === undefined || requestsOf(lead).length > from
      await until(() => (done ? done(requestsOf(lead)) : isRecorded()), hasCome ? patienceMs : quietMs)
      isSilent = requests().length === 0
      return { requests: requestsOf(lead), taken: ofEvent().find(isTaken), trouble: trouble ? `${trouble} ` : '' }
    },
    /** Waits for `quietMs`, in which nothing more should arrive. */
    quiet: () => sleep(quietMs),
  }
}

type LeadEvent = AdvertiserLead & { readonly event: string }

/** Makes the application report a lead's event through its URL; returns the problem as a sentence. */
async function post({ call }: Application, url: string, lead: LeadEvent): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' }
  const status = await call({ url, method: 'POST', headers, body: JSON.stringify(lead) })
  if (status === 0) return 'The application did not respond at the URL of --postback.'
  return status < 400 ? undefined : `The application responded with ${status}.`
}

/** Makes the application report a lead's event through a command; returns the problem as a sentence. */
async function run(
  { commandTimeoutMs: timeoutMs }: Application,
  command: string,
  lead: LeadEvent,
  { base_url, advertisers }: Account,
): Promise<string | undefined> {
  const environment = {
    ...(advertisers[0] && advertiserEnvironment({ base_url, advertiser: advertisers[0] })),
    LEAD_ID: lead.lead_id,
    POSTBACK_URL: lead.postback_url,
    STATUS_URL: lead.status_url,
    EVENT: lead.event,
    AMOUNT: String(lead.amount),
    TERM_MONTHS: String(lead.term_months),
  }
  const { timedOut, exitCode } = await runCommand({ command, environment, timeoutMs })
  if (timedOut) return `The command did not finish within ${timeoutMs / 1000} s.`
  return exitCode === 0 ? undefined : `The command exited with code ${exitCode}.`
}

/** Returns the pixel that was fired for a lead, or a finding if there is none. */
export function pixelOf({ requests, trouble }: Reported): ReportRequest | Finding {
  const pixel = requests.find(({ form }) => form === 'pixel')
  if (pixel) return pixel
  if (requests.length > 0)
    return notSeen('The application sent a JSON request: pass a --postback that fires the postback URL.')
  return failed(`${trouble}No request about the lead arrived.`)
}

export function isFinding(value: object): value is Finding {
  return 'verdict' in value
}
