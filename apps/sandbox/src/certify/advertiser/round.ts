import { canonicalEvent, type PixelEvent, type Settings } from '@lead-distribution/contract'
import { type AdvertiserLead, advertiserLead } from '@lead-distribution/simulator'
import { CommandError } from '../../cli/exit-codes.ts'
import { objectIn } from '../../cli/values.ts'
import { callApplication, runCommand } from '../application-driver.ts'
import type { CertifySandbox, Override, RecordedCall } from '../certify-sandbox.ts'
import { type Check, type Finding, failed, notSeen, type ProfileName, until } from '../check.ts'

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
  const [place = '', search = ''] = halves(call.target)
  const lead_id = uuidIn.exec(place)?.[0].toLowerCase()
  if (lead_id === undefined) return undefined
  const query = new URLSearchParams(search)
  const token = query.get('token') ?? undefined
  const form = token !== undefined || ['GET', 'HEAD'].includes(call.method) ? 'pixel' : 'body'
  const name = form === 'pixel' ? (query.getAll('event').at(-1) ?? undefined) : statusIn(call.body)
  return { call, lead_id, form, name, event: name && canonicalEvent(name), token }
}

/** Returns true if its sender got a 2xx. */
export function isTaken({ call: { response } }: ReportCall): boolean {
  return response !== undefined && response.broken === undefined && response.status >= 200 && response.status < 300
}

/** Returns true if its sender got a 4xx: the same request would get it again. */
function isRefused({ call: { response } }: ReportCall): boolean {
  return response !== undefined && response.broken === undefined && response.status >= 400 && response.status < 500
}

export function halves(target: string): readonly [path: string, query: string] {
  const place = target.indexOf('?')
  return place < 0 ? [target, ''] : [target.slice(0, place), target.slice(place + 1)]
}

function statusIn(body: string): string | undefined {
  const status = objectIn(body)?.status
  return typeof status === 'string' ? status : undefined
}

export interface AdvertiserRoundOptions {
  readonly sandbox: CertifySandbox
  /** The interpretation of the open points in this round. */
  readonly profile: ProfileName
  readonly drive: AdvertiserDriver
  /** The way to make it report by the postback URL, and by a JSON call if there is one. */
  readonly ways: { readonly postback: string; readonly report?: string | undefined }
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
  readonly way?: 'postback' | 'report'
  /** Waits until this holds for the calls about the lead; by default until the event was recorded or refused. */
  readonly done?: (calls: readonly ReportCall[]) => boolean
}

/** Begins a round of an advertiser's certification: one pass over the checks, under one profile. */
export async function openAdvertiserRound(options: AdvertiserRoundOptions) {
  const { sandbox, profile, ways, patienceMs, quietMs } = options
  const { recorder } = sandbox
  await sandbox.enter(profile)
  const first = recorder.calls.length
  let isSilent = false

  const calls = () => recorder.calls.slice(first).flatMap(call => reportOf(call) ?? [])
  const callsOf = ({ lead_id }: Pick<AdvertiserLead, 'lead_id'>) => calls().filter(each => each.lead_id === lead_id)

  return {
    patienceMs,
    quietMs,
    tenant: sandbox.tenant,
    account: sandbox.account,
    canReport: ways.report !== undefined,
    /** Returns true if nothing ever arrived: another attempt would take as long and show as little. */
    isSilent: () => isSilent,
    newLead: () => createAdvertiserLead(sandbox),
    /** All reports of this round, oldest first. */
    calls,
    callsOf,
    /** Changes settings of the account while a function runs. */
    async under<Value>(settings: Partial<Settings>, work: () => Promise<Value>): Promise<Value> {
      await sandbox.enter(profile, settings)
      try {
        return await work()
      } finally {
        await sandbox.enter(profile)
      }
    },
    /** Responds to calls about a lead instead of the service while a function runs. */
    answering<Value>(lead: Pick<AdvertiserLead, 'lead_id'>, by: Override, work: () => Promise<Value>): Promise<Value> {
      const isOfLead = (call: RecordedCall) => reportOf(call)?.lead_id === lead.lead_id
      return recorder.overriding((call, answer) => (isOfLead(call) ? by(call, answer) : answer()), work)
    },
    /** Makes the application report an event, and waits until it was recorded, or until `done`. */
    async report(lead: AdvertiserLead, event: PixelEvent, how: ReportOptions = {}): Promise<Reported> {
      const reported = await report(options, () => callsOf(lead), lead, event, how)
      isSilent = calls().length === 0
      return reported
    },
    /** Waits for the time in which nothing more should arrive. */
    quiet: () => until(() => false, quietMs),
  }
}

async function report(
  { drive, ways, patienceMs, quietMs }: AdvertiserRoundOptions,
  calls: () => readonly ReportCall[],
  lead: AdvertiserLead,
  event: PixelEvent,
  { way = 'postback', done }: ReportOptions,
): Promise<Reported> {
  const ofEvent = () => calls().filter(each => each.event === event)
  const from = calls().length
  const isDone = () => (done ? done(calls()) : ofEvent().some(isTaken) || calls().slice(from).some(isRefused))
  const trouble = await drive(ways[way] ?? ways.postback, lead, event)
  await until(isDone, trouble === undefined || calls().length > from ? patienceMs : quietMs)
  return { calls: calls(), taken: ofEvent().find(isTaken), trouble: trouble ? `${trouble} ` : '' }
}

export type AdvertiserRound = Awaited<ReturnType<typeof openAdvertiserRound>>

export interface AdvertiserDriverOptions {
  /** Hosts besides this machine that a URL of it may be on. */
  readonly allowedHosts: readonly string[]
  /** The environment of commands, besides the lead. */
  readonly environment: Readonly<Record<string, string>>
  /** Timeout of a command, milliseconds. */
  readonly timeoutMs: number
}

/** Makes the application report an event of a lead, by a command or a URL; returns the problem, a sentence. */
export type AdvertiserDriver = (way: string, lead: AdvertiserLead, event: string) => Promise<string | undefined>

/** Creates the driver of an application. Its only task: report this event of this lead. */
export function createAdvertiserDriver({
  allowedHosts,
  environment,
  timeoutMs,
}: AdvertiserDriverOptions): AdvertiserDriver {
  return (way, lead, event) =>
    /^https?:\/\//i.test(way) ? post(way, lead, event, allowedHosts) : run(way, lead, event, environment, timeoutMs)
}

async function post(
  url: string,
  lead: AdvertiserLead,
  event: string,
  allowedHosts: readonly string[],
): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ ...lead, event })
  const { status } = await callApplication({ url, method: 'POST', headers, body, allowedHosts })
  if (status === 0) return 'The application did not respond at the URL of --postback.'
  return status < 400 ? undefined : `The application responded ${status}.`
}

async function run(
  command: string,
  lead: AdvertiserLead,
  event: string,
  more: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<string | undefined> {
  const environment = {
    ...more,
    LEAD_ID: lead.lead_id,
    POSTBACK_URL: lead.postback_url,
    STATUS_URL: lead.status_url,
    EVENT: event,
    AMOUNT: String(lead.amount),
    TERM_MONTHS: String(lead.term_months),
  }
  const { exitCode, timedOut } = await runCommand({ command, environment, timeoutMs })
  if (timedOut) return `The command did not finish within ${timeoutMs / 1000} s.`
  return exitCode === 0 ? undefined : `The command exited with code ${exitCode}.`
}

/** Submits a lead that the first advertiser of the account accepts: the application is that advertiser. */
async function createAdvertiserLead(sandbox: CertifySandbox): Promise<AdvertiserLead> {
  const { base_url, advertisers } = sandbox.account()
  const { lead_id, lead } = await sandbox.submitTestLead()
  const { deliveries } = await sandbox.tenant.leads.show(lead_id)
  const own = deliveries.find(({ advertiser_id }) => advertiser_id === advertisers[0]?.advertiser_id)
  if (own?.postback_url === undefined)
    throw new CommandError('The first advertiser of the account did not accept the lead that was made for it.')
  return advertiserLead({ lead_id, postback_url: own.postback_url, base_url, product_data: lead.product_data })
}

export type AdvertiserCheck = Check<AdvertiserRound>

/** Skips a check if nothing ever arrived: another attempt would take as long and show as little. */
export function unlessSilent(check: AdvertiserCheck): AdvertiserCheck {
  const run = async (round: AdvertiserRound): Promise<Finding> =>
    round.isSilent()
      ? notSeen('The application sent nothing during the first check: fix that first.')
      : check.run(round)
  return { ...check, run }
}

/** Returns the pixel that was fired for a lead, or the finding that there is none. */
export function pixelOf({ calls, trouble }: Reported): ReportCall | Finding {
  const pixel = calls.find(({ form }) => form === 'pixel')
  if (pixel) return pixel
  if (calls.length > 0)
    return notSeen('The application made a JSON call: pass a --postback that fires the postback URL.')
  return failed(`${trouble}No call about the lead arrived.`)
}

export function isFinding(value: object): value is Finding {
  return 'verdict' in value
}
