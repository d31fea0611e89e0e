import { setTimeout as wait } from 'node:timers/promises'
import type { PixelEvent } from '@lead-distribution/contract'
import type { Settings } from '@lead-distribution/engine'
import type { CertifySandbox } from '../certify-sandbox.ts'
import type { ProfileName } from '../check.ts'
import type { Override, RecordedCall } from '../recorder.ts'
import { type AdvertiserDriver, type AdvertiserLead, createAdvertiserLead } from './application.ts'
import { isRefused, isTaken, type ReportCall, reportOf } from './reports.ts'

/** What the checks of a lender play with. */
export interface AdvertiserRoundOptions {
  readonly sandbox: CertifySandbox
  /** How the round reads what the specification leaves open. */
  readonly profile: ProfileName
  readonly ask: AdvertiserDriver
  /** How it reports by the postback URL, and by a JSON call where it can be told to. */
  readonly ways: { readonly postback: string; readonly report?: string | undefined }
  /** How long a report may take until it has come through, milliseconds. */
  readonly patienceMs: number
  /** How long the application is watched for what it should not send any more, milliseconds. */
  readonly quietMs: number
}

/** What came of asking the application for a report. */
export interface Asked {
  /** The calls about the lead, oldest first, those of earlier reports too. */
  readonly calls: readonly ReportCall[]
  /** The call that came through. */
  readonly taken: ReportCall | undefined
  /** What went wrong with the application itself, a sentence; empty where nothing did. */
  readonly trouble: string
}

/** Begins a round of a lender's certification. */
export async function openAdvertiserRound({
  sandbox,
  profile,
  ask,
  ways,
  patienceMs,
  quietMs,
}: AdvertiserRoundOptions) {
  const { recorder, session } = sandbox
  await sandbox.enter(profile)
  const first = recorder.calls.length
  let isSilent = false

  const calls = () => recorder.calls.slice(first).flatMap(call => reportOf(call) ?? [])
  const callsOf = ({ lead_id }: Pick<AdvertiserLead, 'lead_id'>) => calls().filter(each => each.lead_id === lead_id)

  return {
    patienceMs,
    quietMs,
    session,
    account: sandbox.account,
    /** Whether a JSON call can be asked for. */
    canReport: ways.report !== undefined,
    /** Whether nothing ever came, so that asking again is in vain. */
    isSilent: () => isSilent,
    newLead: () => createAdvertiserLead(sandbox),
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
    /** Has another answer the calls about a lead in place of the service, while some work is done. */
    answering<Value>(
      { lead_id }: Pick<AdvertiserLead, 'lead_id'>,
      by: Override,
      work: () => Promise<Value>,
    ): Promise<Value> {
      const isOfLead = (call: RecordedCall) => reportOf(call)?.lead_id === lead_id
      return recorder.overriding((call, answer) => (isOfLead(call) ? by(call, answer) : answer()), work)
    },
    /** Has the application report an event, and waits until it came through, or until something else holds. */
    async ask(
      lead: AdvertiserLead,
      event: PixelEvent,
      {
        way = 'postback',
        done,
      }: { way?: 'postback' | 'report'; done?: (calls: readonly ReportCall[]) => boolean } = {},
    ): Promise<Asked> {
      const ofEvent = () => callsOf(lead).filter(each => each.event === event)
      const from = callsOf(lead).length
      const isDone = () =>
        done ? done(callsOf(lead)) : ofEvent().some(isTaken) || callsOf(lead).slice(from).some(isRefused)
      const trouble = await ask(ways[way] ?? ways.postback, lead, event)
      await until(isDone, trouble === undefined || callsOf(lead).length > from ? patienceMs : quietMs)
      isSilent = calls().length === 0
      return { calls: callsOf(lead), taken: ofEvent().find(isTaken), trouble: trouble ? `${trouble} ` : '' }
    },
    /** Waits the time in which nothing more should come. */
    quiet: () => until(() => false, quietMs),
  }
}

/** A round of a lender's certification. */
export type AdvertiserRound = Awaited<ReturnType<typeof openAdvertiserRound>>

const stepMs = 20

/** Waits until something holds, at most so many milliseconds; answers whether it does. */
export async function until(holds: () => boolean, mostMs: number): Promise<boolean> {
  const end = performance.now() + mostMs
  while (!holds()) {
    if (performance.now() >= end) return false
    await wait(stepMs)
  }
  return true
}
