import type { LeadSubmission } from '@lead-distribution/contract'
import {
  type AbortedError,
  type CallAttempt,
  type CallOptions,
  LeadSdkError,
  type OutcomeUnknownError,
} from '@lead-distribution/sdk-core'
import { assertConfig } from '@lead-distribution/sdk-core/errors'
import type { SubmitResult } from './submit-result.ts'

/** A lead that is submitted again. */
export interface LeadWithAttempt {
  /** The lead. */
  readonly lead: LeadSubmission
  /** The `attempt` of its earlier submission whose outcome is unknown; `null` means none. */
  readonly previousAttempt?: CallAttempt | null | undefined
}

/** One of many leads: a lead, or a lead with the attempt of its earlier submission. */
export type LeadItem = LeadSubmission | LeadWithAttempt

/** Many leads, at hand or still to come. */
export type Leads = Iterable<LeadItem> | AsyncIterable<LeadItem>

type LeadIterator = Iterator<LeadItem> | AsyncIterator<LeadItem>

/** Leads one after the other, of a source that is opened with the first. */
export interface LeadSource {
  /** True if no lead has to be waited for. */
  readonly atHand: boolean
  /** Not a promise where the source has its leads at hand. */
  next(): ReturnType<LeadIterator['next']>
  /** Lets the source clean up; never rejects. */
  close(): Promise<void>
}

/** @throws ConfigError the leads are not iterable; a text has characters, not leads. */
export function createLeadSource(leads: Leads): LeadSource {
  assertConfig(
    typeof leads === 'object' && leads && (Symbol.asyncIterator in leads || Symbol.iterator in leads),
    '`leads` must be iterable, such as an array, a generator or a stream.',
  )
  let opened: LeadIterator | undefined
  const iterator = () => {
    opened ??= Symbol.asyncIterator in leads ? leads[Symbol.asyncIterator]() : leads[Symbol.iterator]()
    return opened
  }
  return {
    atHand: !(Symbol.asyncIterator in leads),
    next: () => iterator().next(),
    async close() {
      try {
        await iterator().return?.()
      } catch {
        // Its leads are read: how it cleans up is its own matter.
      }
    },
  }
}

/** What the submission of many leads takes. Its limits are those of each single lead. */
export interface SubmitManyOptions extends CallOptions {
  /** How many leads are under way at once, an integer from 1 to 100. Default 4. */
  concurrency?: number | undefined
  /**
   * Stops the run after this many leads in a row that got no answer, as when the service is down: their outcome is
   * unknown, no connection was established, or the service answered `429` and nothing else. Leads count as they settle:
   * when the run stops, up to `concurrency` - 1 more may be in flight, which end normally. The rest is not sent. An
   * integer from 1; `Infinity` never stops the run. Default 10.
   */
  maxUnanswered?: number | undefined
  /**
   * Ends the run: no more leads are taken, those under way are aborted and come out as `unknown` or `failed`, and the
   * iteration ends without throwing. A pause after a `429` ends with it.
   */
  signal?: AbortSignal | undefined
  /** Called for each lead as it settles, which may be out of order, and once at the end. What it throws is ignored. */
  onProgress?: ((progress: SubmitProgress, settled?: SubmittedLead) => void) | undefined
}

/** One lead of many and its place among them, from 0. */
export interface TakenLead {
  /** Index of the lead in the source, from 0. */
  readonly index: number
  /** The lead itself, as the source gave it. */
  readonly lead: LeadSubmission
  /** The attempt that the source gave with it; null where it gave none. Keep it with a lead that was not sent. */
  readonly previousAttempt: CallAttempt | null
}

/** Tells a lead with an attempt from a lead, also where plain JavaScript gives neither. */
export function hasAttempt(item: LeadItem): item is LeadWithAttempt {
  const given: object = Object(item)
  return 'lead' in given && !('product_id' in given)
}

/**
 * Checks that nothing stands beside a lead and its attempt: an attempt by another name would be overlooked, and the
 * lead's own duplicate be taken for a refusal.
 * @throws ConfigError
 */
export function checkItem(item: LeadItem): void {
  if (!hasAttempt(item)) return
  const stray = Object.keys(item).find(name => name !== 'lead' && name !== 'previousAttempt')
  assertConfig(
    !stray,
    `One of \`leads\` has \`${stray}\` besides \`lead\`. Give each as a lead, or as \`{ lead, previousAttempt }\`.`,
  )
}

/** The error of a submission after which the lead may exist. Its `attempt` is plain data, good to store. */
export type UnknownOutcome = (OutcomeUnknownError | AbortedError) & { readonly sent: 'maybe' }

/**
 * Whether the lead may exist after this error of `submit`: the reply was lost, or the call was aborted in its midst. It
 * is what `submitMany` reports as `unknown`.
 * @example
 * ```ts
 * import { isOutcomeUnknown } from '@lead-distribution/publisher-sdk'
 *
 * try {
 *   await publisher.submit(lead)
 * } catch (error) {
 *   if (!isOutcomeUnknown(error)) throw error
 *   await store(error.attempt) // the lead may exist: wait for its callback
 * }
 * ```
 */
export function isOutcomeUnknown(error: unknown): error is UnknownOutcome {
  return LeadSdkError.is(error) && error.sent === 'maybe'
}

/** The result of one lead of many. */
export type SubmittedLead = TakenLead & LeadState

/** How the submission of one lead ended; closed, so that a `switch` over `state` can be complete. */
export type LeadState =
  | {
      /** The service answered. */
      readonly state: 'answered'
      /** What it answered. */
      readonly result: SubmitResult
    }
  | {
      /** Nothing was created; see `retryable` of the error. */
      readonly state: 'failed'
      readonly error: LeadSdkError
    }
  | {
      /** The reply was lost, or the run was aborted in its midst: the lead may exist. This is no refusal. */
      readonly state: 'unknown'
      readonly error: UnknownOutcome
      /** Plain data, good to store; a later submission takes it as `previousAttempt`. */
      readonly attempt: CallAttempt
    }
  | {
      /** Taken from the source when the run had stopped already, and never sent. */
      readonly state: 'not_sent'
    }

/**
 * Why a run ended. `complete`: the source has no more. `unanswered`: `maxUnanswered` leads in a row got no answer; submit
 * the rest later. `refused`: an error that every other lead would get too, such as a wrong key, or more `403` without an
 * answer between them than leads are in flight at once. `aborted`: by the `signal`. `source_failed`: the source threw.
 * `left`: its reader stopped reading.
 */
export type SubmitRunEnd = 'complete' | 'unanswered' | 'refused' | 'aborted' | 'source_failed' | 'left'

/** How far a run is. A snapshot, and nothing personal in it: good to log. */
export interface SubmitProgress {
  /** Leads taken from the source: the sum of all that follow. */
  readonly taken: number
  /** Leads that are being submitted now. */
  readonly underWay: number
  /** Leads that the service answered, by outcome. */
  readonly answered: Readonly<Record<SubmitResult['outcome'], number>>
  /** Leads of state `failed`: nothing was created. */
  readonly failed: number
  /** Leads of state `unknown`: they may exist. */
  readonly unknown: number
  /** Leads of state `not_sent`. */
  readonly notSent: number
  /** Why the run ended; null until nothing is under way and nothing more will be. */
  readonly ended: SubmitRunEnd | null
}

/**
 * The submission of many leads: read it once, by `for await`. It begins with the first read, because it goes no faster
 * than you read: a run that nobody reads sends nothing, and after a second the client's `onEvent` gets a `warning`.
 * Leaving the loop waits for the requests in flight.
 */
export interface SubmitRun extends AsyncIterable<SubmittedLead> {
  /** How far it is, at any time. */
  readonly progress: SubmitProgress
}

/** The state of a lead whose submission ended with this error. */
export function failedState(error: LeadSdkError): LeadState {
  return isOutcomeUnknown(error) ? { state: 'unknown', error, attempt: error.attempt } : { state: 'failed', error }
}

/** Whether an error comes from the set-up and not from the lead: 50,000 leads must not fail by it one by one. */
export function meetsEveryLead(error: unknown): boolean {
  const ofSetUp = ['config', 'auth', 'protocol', 'server', 'not_sent']
  return LeadSdkError.is(error) && !error.retryable && ofSetUp.includes(error.code)
}
