import type { LeadSubmission } from '@lead-distribution/contract'
import { type CallOptions, type LeadSdkError, resolveLimits } from '@lead-distribution/sdk-core'
import { safeListener } from '@lead-distribution/sdk-core/callbacks'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { createLeadSource, type LeadSource, type Leads } from './lead-source.ts'
import type { SubmitResult } from './submit-result.ts'
import {
  failedState,
  meetsEveryLead,
  type SubmitManyOptions,
  type SubmitProgress,
  type SubmitRun,
  type SubmitRunEnd,
  type SubmittedLead,
  type TakenLead,
} from './submit-run.ts'

type Submit = (lead: LeadSubmission, options: CallOptions) => Promise<SubmitResult>

/** Submits many leads by `submit`. {@link SubmitRun} and the client's method say what it promises. */
export function submitMany(submit: Submit, leads: Leads, options: SubmitManyOptions = {}): SubmitRun {
  const { concurrency = 4, onProgress, ...callOptions } = options
  const { signal } = resolveLimits({}, callOptions)
  const source = createLeadSource(leads)
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 100)) {
    throw new ConfigError('`concurrency` must be an integer from 1 to 100.')
  }
  const run = new LeadRun(source, lead => submit(lead, callOptions), concurrency, onProgress)
  let begun = false
  return {
    get progress() {
      return run.progress
    },
    [Symbol.asyncIterator]() {
      if (begun) throw new ConfigError('A run is read once. Call `submitMany` again.')
      begun = true
      const reading = run.read(signal)
      return {
        next: () => reading.next(),
        return() {
          // At once, for the generator's own return waits for a read that is under way.
          run.stop('left')
          return reading.return(undefined)
        },
      }
    },
  }
}

/** Takes leads while there is room, submits them side by side, and gives them back in their order. */
class LeadRun {
  readonly #source: LeadSource
  readonly #submit: (lead: LeadSubmission) => Promise<SubmitResult>
  readonly #concurrency: number
  readonly #report: (settled: SubmittedLead | undefined) => void
  readonly #answered = { distributed: 0, new: 0, rejected: 0, unrecognized: 0 }
  readonly #counts = { taken: 0, underWay: 0, failed: 0, unknown: 0, not_sent: 0 }
  /** The leads that were taken and not read yet, in their order. */
  readonly #held: { settled?: SubmittedLead }[] = []
  #pulling = false
  #exhausted = false
  #over = false
  #reason: SubmitRunEnd | undefined
  #ended: SubmitRunEnd | null = null
  #sourceError: unknown
  #wake = () => {}

  constructor(
    source: LeadSource,
    submit: (lead: LeadSubmission) => Promise<SubmitResult>,
    concurrency: number,
    onProgress: SubmitManyOptions['onProgress'],
  ) {
    this.#source = source
    this.#submit = submit
    this.#concurrency = concurrency
    this.#report = safeListener(settled => onProgress?.(this.progress, settled))
  }

  get progress(): SubmitProgress {
    const { not_sent: notSent, ...counts } = this.#counts
    return { ...counts, notSent, answered: { ...this.#answered }, ended: this.#ended }
  }

  stop(why: SubmitRunEnd): void {
    this.#reason ??= why
    this.#wake()
  }

  async *read(signal: AbortSignal | undefined): AsyncGenerator<SubmittedLead, undefined> {
    const abort = () => {
      if (!this.#exhausted || this.#counts.underWay > 0) this.stop('aborted')
    }
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    let left = true
    try {
      yield* this.#inOrder()
      left = false
    } finally {
      if (left) this.stop('left')
      while (this.#counts.underWay > 0) await this.#change()
      this.#over = true
      signal?.removeEventListener('abort', abort)
      await this.#close()
      this.#ended = this.#reason ?? 'complete'
      this.#report(undefined)
    }
    if (this.#reason === 'source_failed') throw this.#sourceError
  }

  async *#inOrder(): AsyncGenerator<SubmittedLead, undefined> {
    void this.#pull()
    for (;;) {
      const [head] = this.#held
      if (head?.settled) {
        this.#held.shift()
        void this.#pull()
        yield head.settled
      } else if (!head && (this.#exhausted || this.#reason)) return
      else await this.#change()
    }
  }

  /** Takes leads while there is room: `concurrency` are under way, and twice as many held, a slow one at their head. */
  async #pull(): Promise<void> {
    if (this.#pulling) return
    this.#pulling = true
    try {
      while (this.#hasRoom()) {
        const given = this.#source.next()
        // Not awaited where that is not needed: an array's lead is never in between when the run is aborted.
        const { done, value } = 'then' in given ? await given : given
        if (this.#over) return
        if (done) this.#exhausted = true
        else void this.#take(value)
      }
    } catch (error) {
      this.#sourceError = error
      this.stop('source_failed')
    } finally {
      this.#pulling = false
      this.#wake()
    }
  }

  #hasRoom(): boolean {
    if (this.#exhausted || this.#reason) return false
    return this.#counts.underWay < this.#concurrency && this.#held.length < 2 * this.#concurrency
  }

  async #take(lead: LeadSubmission): Promise<void> {
    const taken = { index: this.#counts.taken++, lead }
    const place: { settled?: SubmittedLead } = {}
    this.#held.push(place)
    let settled: SubmittedLead = { ...taken, state: 'not_sent' }
    if (!this.#reason) {
      this.#counts.underWay += 1
      settled = await this.#submitted(taken)
      this.#counts.underWay -= 1
    }
    place.settled = settled
    if (settled.state === 'answered') this.#answered[settled.result.outcome] += 1
    else this.#counts[settled.state] += 1
    this.#report(settled)
    this.#wake()
    void this.#pull()
  }

  async #submitted(taken: TakenLead): Promise<SubmittedLead> {
    try {
      return { ...taken, state: 'answered', result: await this.#submit(taken.lead) }
    } catch (error) {
      if (meetsEveryLead(error)) this.stop('refused')
      return { ...taken, ...failedState(error as LeadSdkError) }
    }
  }

  /** A source that is still at its next lead is not waited for: it may never come. */
  async #close(): Promise<void> {
    if (this.#exhausted || this.#reason === 'source_failed') return
    const closing = this.#source.close()
    if (!this.#pulling) await closing
  }

  #change(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }
}
