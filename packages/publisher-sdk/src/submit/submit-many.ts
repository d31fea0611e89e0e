import type { LeadSubmission } from '@lead-distribution/contract'
import {
  type CallEventListener,
  type CallOptions,
  type LeadSdkError,
  Pace,
  resolveLimits,
  safeListener,
} from '@lead-distribution/sdk-core'
import { assertConfig } from '@lead-distribution/sdk-core/errors'
import type { SubmitResult } from './submit-result.ts'
import {
  checkItem,
  createLeadSource,
  failedState,
  hasAttempt,
  isOutcomeUnknown,
  type LeadItem,
  type LeadSource,
  type LeadState,
  type Leads,
  type LeadWithAttempt,
  meetsEveryLead,
  type SubmitManyOptions,
  type SubmitProgress,
  type SubmitRun,
  type SubmitRunEnd,
  type SubmittedLead,
  type TakenLead,
} from './submit-run.ts'

/** A lead that was taken, with its state once it is settled. */
type HeldLead = TakenLead | SubmittedLead

const isSettled = (lead: HeldLead): lead is SubmittedLead => 'state' in lead

type Submit = (
  lead: LeadSubmission,
  options: CallOptions & Pick<LeadWithAttempt, 'previousAttempt'>,
  pace: Pace,
) => Promise<SubmitResult>

/** Submits many leads; see {@link SubmitRun} and the client's method. @throws ConfigError an option is wrong. */
export function submitMany(
  submit: Submit,
  leads: Leads,
  options: SubmitManyOptions | undefined,
  onEvent: CallEventListener | undefined,
): SubmitRun {
  const run = new LeadRun(submit, createLeadSource(leads), options)
  if (onEvent) run.warnUnlessRead(safeListener(onEvent))
  return run
}

/** Takes leads while there is room, submits them concurrently, and yields them in their order. */
class LeadRun implements SubmitRun {
  readonly #submit: (lead: TakenLead) => Promise<SubmitResult>
  readonly #source: LeadSource
  readonly #concurrency: number
  readonly #signal: AbortSignal | undefined
  readonly #report: (settled: SubmittedLead | undefined) => void
  readonly #answered = { distributed: 0, new: 0, rejected: 0, unrecognized: 0 }
  readonly #counts = { taken: 0, underWay: 0, failed: 0, unknown: 0, not_sent: 0 }
  /** The leads that were taken but not read yet, in their order. */
  readonly #held: HeldLead[] = []
  readonly #maxUnanswered: number
  readonly #pace = new Pace()
  /** The number of leads that got a `403` since the last response of another kind. */
  #forbidden = 0
  /** The number of consecutive leads without a response, in the order in which they settled. */
  #unanswered = 0
  #begun = false
  #warning: ReturnType<typeof setTimeout> | undefined
  #pulling = false
  #exhausted = false
  /** The reason why nothing more is sent. */
  #reason: SubmitRunEnd | undefined
  /** True once no more leads are taken. */
  #closed = false
  #ended: SubmitRunEnd | null = null
  #sourceFailure: { error: unknown } | undefined
  #wake = () => {}

  constructor(submit: Submit, source: LeadSource, options: SubmitManyOptions = {}) {
    const { concurrency = 4, maxUnanswered = 10, onProgress, ...callOptions } = options
    this.#signal = resolveLimits({}, callOptions).signal
    assertConfig(
      Number.isInteger(concurrency) &&
        concurrency >= 1 &&
        concurrency <= 100 &&
        (!onProgress || typeof onProgress === 'function'),
      '`concurrency` must be an integer from 1 to 100, and `onProgress` a function.',
    )
    assertConfig(
      maxUnanswered === Number.POSITIVE_INFINITY || (Number.isInteger(maxUnanswered) && maxUnanswered >= 1),
      '`maxUnanswered` must be an integer of at least 1, or `Infinity` to never stop the run.',
    )
    this.#submit = ({ lead, previousAttempt }) => submit(lead, { ...callOptions, previousAttempt }, this.#pace)
    this.#source = source
    this.#concurrency = concurrency
    this.#maxUnanswered = maxUnanswered
    this.#report = safeListener(settled => onProgress?.(this.progress, settled))
  }

  get progress(): SubmitProgress {
    const { not_sent: notSent, ...counts } = this.#counts
    return { ...counts, notSent, answered: { ...this.#answered }, ended: this.#ended }
  }

  [Symbol.asyncIterator](): AsyncIterator<SubmittedLead, undefined> {
    assertConfig(!this.#begun, 'A run can be read only once. Call `submitMany` again.')
    this.#begun = true
    clearTimeout(this.#warning)
    const leads = this.#read()
    return {
      next: () => leads.next(),
      return: () => {
        // Ends the run at once: the generator's own return waits for a pending read.
        this.#end('left')
        return leads.return(undefined)
      },
    }
  }

  /** Warns of a run that nobody has read after a second: `await publisher.submitMany(leads)` looks right but sends nothing. */
  warnUnlessRead(report: CallEventListener): void {
    const message = 'A run of `submitMany` sends nothing until it is read. Read it with `for await`.'
    const callId = crypto.randomUUID()
    this.#warning = setTimeout(() => report({ type: 'warning', message, callId, call: 'submitLead', attempt: 0 }), 1000)
  }

  /** Takes no more leads. Those already taken are sent only if the source failed. */
  #end(why: SubmitRunEnd): void {
    this.#reason ??= why
    this.#closed = true
    if (this.#reason !== 'source_failed') this.#pace.end()
    this.#wake()
  }

  /** Sends nothing more. The rest of a synchronous source is taken but not sent; an async one may take forever. */
  #stop(why: SubmitRunEnd): void {
    this.#reason ??= why
    this.#pace.end()
    if (!this.#source.atHand) this.#end(why)
  }

  async *#read(): AsyncGenerator<SubmittedLead, undefined> {
    const signal = this.#signal
    const abort = () => {
      if (!this.#exhausted || this.#counts.underWay > 0) this.#end('aborted')
    }
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    let left = true
    try {
      void this.#pull()
      for (;;) {
        const [head] = this.#held
        if (head && isSettled(head)) {
          this.#held.shift()
          void this.#pull()
          // Nothing else yields to the event loop now, where a timer may abort the signal.
          if (head.state === 'not_sent' && head.index % 100 === 0) await new Promise(resolve => setTimeout(resolve))
          yield head
        } else if (!head && (this.#exhausted || this.#closed)) break
        else await this.#change()
      }
      left = false
    } finally {
      if (left) this.#end('left')
      while (this.#counts.underWay > 0) await this.#change()
      this.#pace.end()
      this.#ended = this.#reason ?? 'complete'
      signal?.removeEventListener('abort', abort)
      if (!this.#exhausted && !this.#sourceFailure) {
        const closing = this.#source.close()
        // Doesn't wait for a source that is still producing its next lead, which may never come.
        if (!this.#pulling) await closing
      }
      this.#report(undefined)
    }
    if (this.#sourceFailure) throw this.#sourceFailure.error
  }

  /** Takes leads while there is room: up to `concurrency` in flight, and twice as many held. */
  async #pull(): Promise<void> {
    if (this.#pulling) return
    this.#pulling = true
    const most = this.#concurrency
    try {
      while (!this.#exhausted && !this.#closed && this.#counts.underWay < most && this.#held.length < 2 * most) {
        const given = this.#source.next()
        // No needless await: a lead of an array is never in limbo when the run is aborted.
        const { done, value } = 'then' in given ? await given : given
        if (this.#ended) return
        if (done) this.#exhausted = true
        else void this.#take(value)
      }
    } catch (error) {
      // Once no more leads are taken, errors of the source don't matter.
      if (!this.#closed) this.#sourceFailure = { error }
      this.#end('source_failed')
    } finally {
      this.#pulling = false
      this.#wake()
    }
  }

  async #take(item: LeadItem): Promise<void> {
    const counts = this.#counts
    const { lead, previousAttempt = null }: LeadWithAttempt = hasAttempt(item) ? item : { lead: item }
    const taken: HeldLead = { index: counts.taken++, lead, previousAttempt }
    this.#held.push(taken)
    let state: LeadState = { state: 'not_sent' }
    if (!this.#reason) {
      counts.underWay += 1
      state = await this.#stateOf(taken, item)
      counts.underWay -= 1
    }
    if (state.state === 'answered') this.#answered[state.result.outcome] += 1
    else counts[state.state] += 1
    this.#report(Object.assign(taken, state))
    this.#wake()
    void this.#pull()
  }

  async #stateOf(taken: TakenLead, item: LeadItem): Promise<LeadState> {
    const pace = this.#pace
    // No needless await: see `#pull`.
    if (pace.pause) await pace.pause
    if (pace.ended) return { state: 'not_sent' }
    try {
      checkItem(item)
      const result = await this.#submit(taken)
      this.#forbidden = 0
      this.#unanswered = 0
      return { state: 'answered', result }
    } catch (error) {
      const failed = error as LeadSdkError
      this.#countUnanswered(failed)
      // The specification has no 403: a firewall may have refused one lead, or all that were in flight at the moment.
      const mayPass = failed?.meta?.status === 403 && ++this.#forbidden <= this.#concurrency
      if (meetsEveryLead(error) && !mayPass) this.#stop('refused')
      return failedState(failed)
    }
  }

  #countUnanswered(error: LeadSdkError): void {
    if (isOutcomeUnknown(error) || error.code === 'not_sent') this.#unanswered += 1
    // A 429 among other responses only asks the run to slow down.
    else if (error.code === 'rate_limit') this.#unanswered += this.#pace.barrenRounds > 1 ? 1 : 0
    else if (error.sent === 'yes') this.#unanswered = 0
    if (this.#unanswered >= this.#maxUnanswered) this.#stop('unanswered')
  }

  #change(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }
}
