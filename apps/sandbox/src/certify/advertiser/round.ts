import { setTimeout as wait } from 'node:timers/promises'
import { canonicalEvent, type PixelEvent } from '@lead-distribution/contract'
import type { Settings } from '@lead-distribution/engine'
import type { AdvertiserLead } from '@lead-distribution/simulator'
import { type CertifySandbox, createSandboxControl } from '../certify-sandbox.ts'
import type { ProfileName } from '../check.ts'
import type { Override, RecordedCall } from '../recorder.ts'
import { type AdvertiserDriver, createAdvertiserLead } from './application.ts'

/** A call of the advertiser's application about a lead. Holds tokens: never printed. */
export interface ReportCall {
  readonly call: RecordedCall
  /** The first UUID of the path, in lower case. */
  readonly lead_id: string
  /** `pixel` where it has a token or no body by its method (Spec 4.3), else `body` (Spec 4.2). */
  readonly form: 'pixel' | 'body'
  /** The name that it gives the event. */
  readonly name: string | undefined
  /** The event under the name of the pixel's enumeration. */
  readonly event: string | undefined
  /** The token, decoded once. */
  readonly token: string | undefined
}

const uuidIn = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** Reads a call as a report, to whichever path; undefined where its path names no lead. */
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

/** Whether its sender got a 2xx. */
export function isTaken({ call: { response } }: ReportCall): boolean {
  return response !== undefined && response.broken === undefined && response.status >= 200 && response.status < 300
}

/** Whether its sender got a 4xx: the same again would get it again. */
function isRefused({ call: { response } }: ReportCall): boolean {
  return response !== undefined && response.broken === undefined && response.status >= 400 && response.status < 500
}

/** A target as its path and its query. */
export function halves(target: string): readonly [path: string, query: string] {
  const place = target.indexOf('?')
  return place < 0 ? [target, ''] : [target.slice(0, place), target.slice(place + 1)]
}

/** The JSON object in a body; undefined where there is none. */
export function objectIn(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function statusIn(body: string): string | undefined {
  const status = objectIn(body)?.status
  return typeof status === 'string' ? status : undefined
}

/** What a round of an advertiser's certification is made of. */
export interface AdvertiserRoundOptions {
  readonly sandbox: CertifySandbox
  /** How the round interprets what the specification leaves open. */
  readonly profile: ProfileName
  readonly drive: AdvertiserDriver
  /** How it reports by the postback URL, and by a JSON call where it can be made to. */
  readonly ways: { readonly postback: string; readonly report?: string | undefined }
  /** How long a report may take until it has come through, milliseconds. */
  readonly patienceMs: number
  /** How long the application is watched for what it should not send any more, milliseconds. */
  readonly quietMs: number
}

/** What the application sent when it had to report. */
export interface Reported {
  /** The calls about the lead, oldest first, those of earlier reports too. */
  readonly calls: readonly ReportCall[]
  /** The call that came through. */
  readonly taken: ReportCall | undefined
  /** What went wrong with the application itself, a sentence; empty where nothing did. */
  readonly trouble: string
}

/** What `report` waits for, and how it makes the application report. */
export interface ReportOptions {
  readonly way?: 'postback' | 'report'
  /** Until this holds for the calls about the lead; by default until the event came through or was refused. */
  readonly done?: (calls: readonly ReportCall[]) => boolean
}

/** Begins a round of an advertiser's certification: one pass over the checks, under one profile. */
export async function openAdvertiserRound(options: AdvertiserRoundOptions) {
  const { sandbox, profile, ways, patienceMs, quietMs } = options
  const { recorder } = sandbox
  const control = createSandboxControl(sandbox)
  await sandbox.enter(profile)
  const first = recorder.calls.length
  let isSilent = false

  const calls = () => recorder.calls.slice(first).flatMap(call => reportOf(call) ?? [])
  const callsOf = ({ lead_id }: Pick<AdvertiserLead, 'lead_id'>) => calls().filter(each => each.lead_id === lead_id)

  return {
    patienceMs,
    quietMs,
    control,
    account: sandbox.account,
    /** Whether the application can be made to report by a JSON call. */
    canReport: ways.report !== undefined,
    /** Whether nothing ever came: another try would take as long and show as little. */
    isSilent: () => isSilent,
    newLead: () => createAdvertiserLead(sandbox.account, control),
    /** All reports of this round, oldest first. */
    calls,
    /** The reports of a lead. */
    callsOf,
    /** Changes settings of the account while some work is done. */
    async under<Value>(settings: Partial<Settings>, work: () => Promise<Value>): Promise<Value> {
      await sandbox.enter(profile, settings)
      try {
        return await work()
      } finally {
        await sandbox.enter(profile)
      }
    },
    /** Answers the calls about a lead instead of the service, while some work is done. */
    answering<Value>(lead: Pick<AdvertiserLead, 'lead_id'>, by: Override, work: () => Promise<Value>): Promise<Value> {
      const isOfLead = (call: RecordedCall) => reportOf(call)?.lead_id === lead.lead_id
      return recorder.overriding((call, answer) => (isOfLead(call) ? by(call, answer) : answer()), work)
    },
    /** Makes the application report an event, and waits until it came through, or until `done`. */
    async report(lead: AdvertiserLead, event: PixelEvent, how: ReportOptions = {}): Promise<Reported> {
      const reported = await report(options, () => callsOf(lead), lead, event, how)
      isSilent = calls().length === 0
      return reported
    },
    /** Waits the time in which nothing more should come. */
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

/** A round of an advertiser's certification. */
export type AdvertiserRound = Awaited<ReturnType<typeof openAdvertiserRound>>

const stepMs = 20

/** Waits until something holds, at most so many milliseconds; returns whether it does. */
export async function until(holds: () => boolean, maxDelayMs: number): Promise<boolean> {
  const end = performance.now() + maxDelayMs
  while (!holds()) {
    if (performance.now() >= end) return false
    await wait(stepMs)
  }
  return true
}
