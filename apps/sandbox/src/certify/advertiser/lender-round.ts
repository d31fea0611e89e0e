import type { PixelEvent } from '@lead-distribution/contract'
import type { Settings } from '@lead-distribution/engine'
import type { ProfileName } from '../certify-check.ts'
import type { CertifySandbox } from '../certify-sandbox.ts'
import type { StandIn, TappedCall } from '../wire-tap.ts'
import type { AskApplication } from './lender-application.ts'
import { createLenderLead, type LenderLead } from './lender-lead.ts'
import { isRefused, isTaken, type ReportCall, reportOf } from './report-call.ts'
import { until } from './until.ts'

/** What the checks of a lender play with. */
export interface LenderRoundOptions {
  readonly sandbox: CertifySandbox
  /** How the round reads what the specification leaves open. */
  readonly profile: ProfileName
  readonly ask: AskApplication
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
export async function openLenderRound({ sandbox, profile, ask, ways, patienceMs, quietMs }: LenderRoundOptions) {
  const { tap, tenant } = sandbox
  await sandbox.enter(profile)
  const first = tap.calls.length
  let isSilent = false

  const calls = () => tap.calls.slice(first).flatMap(call => reportOf(call) ?? [])
  const callsOf = ({ lead_id }: Pick<LenderLead, 'lead_id'>) => calls().filter(each => each.lead_id === lead_id)

  return {
    patienceMs,
    quietMs,
    tenant,
    account: sandbox.account,
    /** Whether a JSON call can be asked for. */
    canReport: ways.report !== undefined,
    /** Whether nothing ever came, so that asking again is in vain. */
    isSilent: () => isSilent,
    newLead: () => createLenderLead(sandbox),
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
      { lead_id }: Pick<LenderLead, 'lead_id'>,
      by: StandIn,
      work: () => Promise<Value>,
    ): Promise<Value> {
      const isOfLead = (call: TappedCall) => reportOf(call)?.lead_id === lead_id
      return tap.standingIn((call, answer) => (isOfLead(call) ? by(call, answer) : answer()), work)
    },
    /** Has the application report an event, and waits until it came through, or until something else holds. */
    async ask(
      lead: LenderLead,
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
export type LenderRound = Awaited<ReturnType<typeof openLenderRound>>
