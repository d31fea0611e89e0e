import { setTimeout as sleep } from 'node:timers/promises'
import { advertiserEnvironment, canonicalEvent, type PixelEvent, type Settings } from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/control-client'
import { type AdvertiserLead, advertiserLead } from '@lead-distribution/simulator'
import { type Check, type Finding, failed, jsonObject, notSeen, type ProfileName, until } from '../check.ts'
import { type Application, runCommand } from '../run-command.ts'
import type { CertificationSandbox, Override, RecordedCall } from '../sandbox.ts'

/** A call of the advertiser's application about a lead. Holds tokens: never printed. */
export interface ReportCall {
  readonly call: RecordedCall
  /** The first UUID of the path, in lower case. */
  readonly lead_id: string
  /** `pixel` if it has a token or its method has no body (Spec 4.3), else `body` (Spec 4.2). */
  readonly form: 'pixel' | 'body'
  readonly name: string | undefined
  /** The event under the name of the pixel's enumeration. */
  readonly event: string | undefined
  /** The token, decoded once. */
  readonly token: string | undefined
}

const uuidIn = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** Reads a call as a report, to whichever path; undefined if its path names no lead. */
export function reportOf(call: RecordedCall): ReportCall | undefined {
  const [place, search] = halves(call.target)
  const lead_id = uuidIn.exec(place)?.[0].toLowerCase()
  if (lead_id === undefined) return undefined
  const query = new URLSearchParams(search)
  const token = query.get('token') ?? undefined
  const form = token !== undefined || ['GET', 'HEAD'].includes(call.method) ? 'pixel' : 'body'
  const name = form === 'pixel' ? query.getAll('event').at(-1) : statusIn(call.body)
  return { call, lead_id, form, name, event: name && canonicalEvent(name), token }
}

function statusIn(body: string): string | undefined {
  const status = jsonObject(body)?.status
  return typeof status === 'string' ? status : undefined
}

export function halves(target: string): readonly [path: string, query: string] {
  const place = target.indexOf('?')
  return place < 0 ? [target, ''] : [target.slice(0, place), target.slice(place + 1)]
}

/** Returns true if its sender got a 2xx. */
export const isTaken = (report: ReportCall): boolean => statusClass(report) === 2

/** Returns true if its sender got a 4xx: the same request would get it again. */
const isRefused = (report: ReportCall): boolean => statusClass(report) === 4

/** The first digit of the status that its sender got; undefined if it got no response. */
function statusClass({ call: { response } }: ReportCall): number | undefined {
  return response && response.broken === undefined ? Math.floor(response.status / 100) : undefined
}

/** Access to an advertiser's application. */
export interface AdvertiserApplication extends Application {
  /** The command or URL that makes it fire the postback URL of a lead. */
  readonly postback: string
  /** The command or URL that makes it report by a JSON request, if it can. */
  readonly reportCommand?: string | undefined
  /** The time a report has to succeed, retries included, milliseconds. */
  readonly patienceMs: number
  /** The time to watch for calls that should not come, milliseconds. */
  readonly quietMs: number
}

export interface Reported {
  /** The calls about the lead, oldest first, those of earlier reports too. */
  readonly calls: readonly ReportCall[]
  readonly taken: ReportCall | undefined
  /** A problem of the application itself, a sentence; empty if there is none. */
  readonly trouble: string
}

export interface ReportOptions {
  /** True to make it report by a JSON request, if it can. */
  readonly byJson?: boolean
  /** Waits until this holds for the calls about the lead; by default until the event was recorded or refused. */
  readonly done?: (calls: readonly ReportCall[]) => boolean
}

export type AdvertiserRound = Awaited<ReturnType<typeof openAdvertiserRound>>

export type AdvertiserCheck = Check<AdvertiserRound, 'calls'>

/** Begins a round of an advertiser's certification: one pass over the checks, under one profile. */
export async function openAdvertiserRound(
  sandbox: CertificationSandbox,
  profile: ProfileName,
  application: AdvertiserApplication,
) {
  const { postback, reportCommand, patienceMs, quietMs } = application
  const { recorder, account, tenant } = sandbox
  await sandbox.enter(profile)
  const first = recorder.calls.length
  let isSilent = false

  const calls = () => recorder.calls.slice(first).flatMap(call => reportOf(call) ?? [])
  const callsOf = ({ lead_id }: Pick<AdvertiserLead, 'lead_id'>) => calls().filter(each => each.lead_id === lead_id)

  return {
    patienceMs,
    quietMs,
    tenant,
    account,
    /** If nothing ever arrived, another attempt would take as long and show as little. */
    missing: (_need: 'calls') =>
      isSilent ? 'The application sent nothing during the first check: fix that first.' : undefined,
    /** All reports of this round, oldest first. */
    calls,
    callsOf,
    /** Submits a lead that the first advertiser of the account accepts: the application is that advertiser. */
    async newLead(): Promise<AdvertiserLead> {
      const { base_url, advertisers } = account()
      const { lead_id, lead } = await sandbox.submitTestLead()
      const { deliveries } = await tenant.leads.show(lead_id)
      const own = deliveries.find(({ advertiser_id }) => advertiser_id === advertisers[0]?.advertiser_id)
      if (own?.postback_url === undefined)
        throw new Error('The first advertiser of the account did not accept the lead that was made for it.')
      return advertiserLead({ lead_id, postback_url: own.postback_url, base_url, product_data: lead.product_data })
    },
    /** Changes settings of the account, until it is disposed of. */
    async change(settings: Partial<Settings>): Promise<AsyncDisposable> {
      await sandbox.enter(profile, settings)
      return { [Symbol.asyncDispose]: () => sandbox.enter(profile) }
    },
    /** Responds to calls about a lead instead of the service, until it is disposed of. */
    answer(lead: Pick<AdvertiserLead, 'lead_id'>, by: Override): Disposable {
      const isOfLead = (call: RecordedCall) => reportOf(call)?.lead_id === lead.lead_id
      return recorder.override((call, answer) => (isOfLead(call) ? by(call, answer) : answer()))
    },
    /** Makes the application report an event, and waits until it was recorded, or until `done`. */
    async report(
      lead: AdvertiserLead,
      event: PixelEvent,
      { byJson = false, done }: ReportOptions = {},
    ): Promise<Reported> {
      const ofEvent = () => callsOf(lead).filter(each => each.event === event)
      const from = callsOf(lead).length
      const isRecorded = () => ofEvent().some(isTaken) || callsOf(lead).slice(from).some(isRefused)
      const way = (byJson && reportCommand) || postback
      const isUrl = /^https?:\/\//i.test(way)
      const trouble = await (isUrl ? post : run)(application, way, { ...lead, event }, account())
      const hasCome = trouble === undefined || callsOf(lead).length > from
      await until(() => (done ? done(callsOf(lead)) : isRecorded()), hasCome ? patienceMs : quietMs)
      isSilent = calls().length === 0
      return { calls: callsOf(lead), taken: ofEvent().find(isTaken), trouble: trouble ? `${trouble} ` : '' }
    },
    /** Waits for the time in which nothing more should arrive. */
    quiet: () => sleep(quietMs),
  }
}

type LeadEvent = AdvertiserLead & { readonly event: string }

/** Makes the application report an event of a lead by a URL; returns the problem, a sentence. */
async function post({ call }: Application, url: string, lead: LeadEvent): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' }
  const status = await call({ url, method: 'POST', headers, body: JSON.stringify(lead) })
  if (status === 0) return 'The application did not respond at the URL of --postback.'
  return status < 400 ? undefined : `The application responded ${status}.`
}

/** Makes the application report an event of a lead by a command; returns the problem, a sentence. */
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

/** Returns the pixel that was fired for a lead, or the finding that there is none. */
export function pixelOf({ calls, trouble }: Reported): ReportCall | Finding {
  const pixel = calls.find(({ form }) => form === 'pixel')
  if (pixel) return pixel
  if (calls.length > 0)
    return notSeen('The application sent a JSON request: pass a --postback that fires the postback URL.')
  return failed(`${trouble}No request about the lead arrived.`)
}

export function isFinding(value: object): value is Finding {
  return 'verdict' in value
}
