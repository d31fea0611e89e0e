import { setTimeout as wait } from 'node:timers/promises'
import type { PixelEvent } from '@lead-distribution/contract'
import type { Settings } from '@lead-distribution/engine'
import type { CertifySandbox } from '../certify-sandbox.ts'
import type { ProfileName } from '../check.ts'
import type { Override, RecordedCall } from '../recorder.ts'
import { createSandboxControl } from '../sandbox-control.ts'
import { type AdvertiserDriver, type AdvertiserLead, createAdvertiserLead } from './application.ts'
import { isRefused, isTaken, type ReportCall, reportOf } from './reports.ts'

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

/** Begins a round of an advertiser's certification: one pass over the checks, under one profile. */
export async function openAdvertiserRound({
  sandbox,
  profile,
  drive,
  ways,
  patienceMs,
  quietMs,
}: AdvertiserRoundOptions) {
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
    answering<Value>(
      { lead_id }: Pick<AdvertiserLead, 'lead_id'>,
      by: Override,
      work: () => Promise<Value>,
    ): Promise<Value> {
      const isOfLead = (call: RecordedCall) => reportOf(call)?.lead_id === lead_id
      return recorder.overriding((call, answer) => (isOfLead(call) ? by(call, answer) : answer()), work)
    },
    /** Makes the application report an event, and waits until it came through, or until `done`. */
    async report(
      lead: AdvertiserLead,
      event: PixelEvent,
      {
        way = 'postback',
        done,
      }: { way?: 'postback' | 'report'; done?: (calls: readonly ReportCall[]) => boolean } = {},
    ): Promise<Reported> {
      const ofEvent = () => callsOf(lead).filter(each => each.event === event)
      const from = callsOf(lead).length
      const isDone = () =>
        done ? done(callsOf(lead)) : ofEvent().some(isTaken) || callsOf(lead).slice(from).some(isRefused)
      const trouble = await drive(ways[way] ?? ways.postback, lead, event)
      await until(isDone, trouble === undefined || callsOf(lead).length > from ? patienceMs : quietMs)
      isSilent = calls().length === 0
      return { calls: callsOf(lead), taken: ofEvent().find(isTaken), trouble: trouble ? `${trouble} ` : '' }
    },
    /** Waits the time in which nothing more should come. */
    quiet: () => until(() => false, quietMs),
  }
}

/** A round of an advertiser's certification. */
export type AdvertiserRound = Awaited<ReturnType<typeof openAdvertiserRound>>

const stepMs = 20

/** Waits until something holds, at most so many milliseconds; returns whether it does. */
export async function until(holds: () => boolean, mostMs: number): Promise<boolean> {
  const end = performance.now() + mostMs
  while (!holds()) {
    if (performance.now() >= end) return false
    await wait(stepMs)
  }
  return true
}
