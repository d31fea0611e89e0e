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

/** A lead that is submitted again. @inline */
export type LeadWithAttempt = {
  /** The lead. */
  readonly lead: LeadSubmission
  /** The `attempt` of its earlier submission whose outcome is unknown; `null` if there is none. */
  readonly previousAttempt?: CallAttempt | null | undefined
}

/** A lead, or a lead with the attempt of its earlier submission. @inline */
export type LeadItem = LeadSubmission | LeadWithAttempt

/** The leads of a run, from a synchronous or an asynchronous source. @inline */
export type Leads = Iterable<LeadItem> | AsyncIterable<LeadItem>

type LeadIterator = Iterator<LeadItem> | AsyncIterator<LeadItem>

/** A source of leads, opened with the first. */
export interface LeadSource {
  /** True if the source is synchronous. */
  readonly atHand: boolean
  /** Returns the next lead; not as a promise if the source is synchronous. */
  next(): ReturnType<LeadIterator['next']>
  /** Lets the source clean up. Never rejects. */
  close(): Promise<void>
}

/** @throws ConfigError the leads are not iterable, or a string, whose items are characters. */
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
        // Its leads are read: errors of its clean-up don't matter.
      }
    },
  }
}

/** The options of a run of leads. The limits apply to each single lead. */
export interface SubmitManyOptions extends CallOptions {
  /** Largest number of leads in flight, an integer from 1 to 100. Default 4. */
  concurrency?: number | undefined
  /**
   * Stops the run after this many leads in a row without a response, as when the service is down: their outcome is unknown,
   * no connection was established, or the service sent nothing but `429`. Leads count when they settle: up to
   * `concurrency` - 1 more may be in flight when the run stops, and they end normally. The rest is not sent. An integer
   * from 1; `Infinity` never stops the run. Default 10.
   */
  maxUnanswered?: number | undefined
  /**
   * Ends the run: no more leads are taken, those in flight are aborted and become `unknown` or `failed`, and the iteration
   * ends without throwing. A pause after a `429` ends as well.
   */
  signal?: AbortSignal | undefined
  /** Called for each lead when it settles, possibly out of order, and once at the end. Its errors are ignored. */
  onProgress?: ((progress: SubmitProgress, settled?: SubmittedLead) => void) | undefined
}

/** A lead that was taken from the source. @inline */
export type TakenLead = {
  /** Index of the lead in the source, from 0. */
  readonly index: number
  /** The lead, as the source yielded it. */
  readonly lead: LeadSubmission
  /** The attempt that the source yielded with it, or null. Keep it with a lead that was not sent. */
  readonly previousAttempt: CallAttempt | null
}

/** Distinguishes a lead with an attempt from a lead, even if plain JavaScript passes neither. */
export function hasAttempt(item: LeadItem): item is LeadWithAttempt {
  const given: object = Object(item)
  return 'lead' in given && !('product_id' in given)
}

/**
 * Checks that an item has nothing but a lead and its attempt: an attempt by another name would be overlooked, and the
 * lead's own duplicate mistaken for a rejection.
 * @throws ConfigError it has.
 */
export function checkItem(item: LeadItem): void {
  if (!hasAttempt(item)) return
  const stray = Object.keys(item).find(name => name !== 'lead' && name !== 'previousAttempt')
  assertConfig(
    !stray,
    `One of \`leads\` has \`${stray}\` beside \`lead\`. Pass each as a lead or as \`{ lead, previousAttempt }\`.`,
  )
}

/** The error of a submission after which the lead may exist. Its `attempt` is plain data that you can store. @inline */
export type UnknownOutcome = (OutcomeUnknownError | AbortedError) & { readonly sent: 'maybe' }

/**
 * Returns true if the lead may exist after this error of `submit`: the reply was lost, or the call was aborted while in
 * flight. `submitMany` reports the same as `unknown`.
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

/** The state of a settled lead; a closed union, so a `switch` over `state` can be complete. @inline */
export type LeadState =
  | {
      /** The service responded. */
      readonly state: 'answered'
      /** The result of the submission. */
      readonly result: SubmitResult
    }
  | {
      /** No lead was created; see `retryable` of the error. */
      readonly state: 'failed'
      readonly error: LeadSdkError
    }
  | {
      /** The reply was lost, or the lead was aborted while in flight: it may exist. This is not a rejection. */
      readonly state: 'unknown'
      readonly error: UnknownOutcome
      /** Plain data that you can store; pass it to a later submission as `previousAttempt`. */
      readonly attempt: CallAttempt
    }
  | {
      /** The lead was taken from the source after the run had stopped, and was never sent. */
      readonly state: 'not_sent'
    }

/**
 * The reason why a run ended. `complete`: the source has no more leads. `unanswered`: `maxUnanswered` leads in a row got no
 * response; submit the rest later. `refused`: an error that every other lead would get too, such as a wrong key, or more
 * `403` in a row than `concurrency`. `aborted`: by the `signal`. `source_failed`: the source threw. `left`: the reader
 * stopped reading. @inline
 */
export type SubmitRunEnd = 'complete' | 'unanswered' | 'refused' | 'aborted' | 'source_failed' | 'left'

/** A snapshot of the progress of a run. Holds nothing personal, so you can log it. */
export interface SubmitProgress {
  /** Leads taken from the source: the sum of the following. */
  readonly taken: number
  /** Leads in flight. */
  readonly underWay: number
  /** Leads that the service responded to, by outcome. */
  readonly answered: Readonly<Record<SubmitResult['outcome'], number>>
  /** Leads in state `failed`: none was created. */
  readonly failed: number
  /** Leads in state `unknown`: they may exist. */
  readonly unknown: number
  /** Leads in state `not_sent`. */
  readonly notSent: number
  /** The reason that the run ended; null while leads are in flight or may follow. */
  readonly ended: SubmitRunEnd | null
}

/**
 * The submission of many leads. Read it once, with `for await`. It goes no faster than you read, so a run that nobody reads
 * sends nothing, and after a second the client's `onEvent` gets a `warning`. Leaving the loop waits for the requests in
 * flight.
 */
export interface SubmitRun extends AsyncIterable<SubmittedLead> {
  /** The current progress. */
  readonly progress: SubmitProgress
}

/** Returns the state of a lead whose submission ended with this error. */
export function failedState(error: LeadSdkError): LeadState {
  return isOutcomeUnknown(error) ? { state: 'unknown', error, attempt: error.attempt } : { state: 'failed', error }
}

/** Returns true for an error that every lead would get: 50,000 leads must not fail one by one. */
export function meetsEveryLead(error: unknown): boolean {
  const ofSetUp = ['config', 'auth', 'protocol', 'server', 'not_sent']
  return LeadSdkError.is(error) && !error.retryable && ofSetUp.includes(error.code)
}
