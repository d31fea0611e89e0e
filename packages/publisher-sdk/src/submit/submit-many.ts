import type { LeadSubmission } from '@lead-distribution/contract'
import { type CallOptions, resolveLimits } from '@lead-distribution/sdk-core'
import { safeListener } from '@lead-distribution/sdk-core/callbacks'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { faultOf, meetsEveryLead } from './lead-fault.ts'
import { type LeadSource, type Leads, openerOf } from './lead-source.ts'
import type { SubmitResult } from './submit-result.ts'
import type { SubmitManyOptions, SubmitProgress, SubmitRun, SubmitRunEnd, SubmittedLead } from './submit-run.ts'

type Submit = (lead: LeadSubmission, options: CallOptions) => Promise<SubmitResult>

/** Submits many leads by `submit`. What it promises stands at {@link SubmitRun} and at the client's method. */
export function submitMany(
  submit: Submit,
  leads: Leads,
  { concurrency = 4, onProgress, ...callOptions }: SubmitManyOptions = {},
): SubmitRun {
  const { signal } = resolveLimits({}, callOptions)
  const open = openerOf(leads)
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 100)) {
    throw new ConfigError('`concurrency` must be an integer from 1 to 100.')
  }
  const answered = { distributed: 0, new: 0, rejected: 0, unrecognized: 0 }
  const counts = { taken: 0, underWay: 0, failed: 0, unknown: 0, notSent: 0 }
  /** The leads that were taken and not read yet, in their order. */
  const held: { settled?: SubmittedLead }[] = []
  let source: LeadSource | undefined
  let pulling = false
  let exhausted = false
  let over = false
  let reason: SubmitRunEnd | undefined
  let ended: SubmitRunEnd | null = null
  let failure: unknown
  let wake = () => {}
  const change = () => new Promise<void>(resolve => (wake = resolve))
  const snapshot = (): SubmitProgress => ({ ...counts, answered: { ...answered }, ended })
  const tell = safeListener<SubmittedLead | undefined>(settled => onProgress?.(snapshot(), settled))

  function stop(why: SubmitRunEnd): void {
    reason ??= why
    wake()
  }

  /** Takes leads while there is room: `concurrency` are under way, and twice as many held, a slow one at their head. */
  async function pull(): Promise<void> {
    if (pulling) return
    pulling = true
    try {
      while (!exhausted && !reason && counts.underWay < concurrency && held.length < 2 * concurrency) {
        source ??= open()
        const given = source.next()
        // Not awaited where that is not needed: an array's lead is never in between when the run is aborted.
        const { done, value } = 'then' in given ? await given : given
        if (over) return
        if (done) exhausted = true
        else take(value)
      }
    } catch (error) {
      failure = error
      stop('source_failed')
    } finally {
      pulling = false
      wake()
    }
  }

  function take(lead: LeadSubmission): void {
    const taken = { index: counts.taken++, lead }
    const place: (typeof held)[number] = {}
    held.push(place)
    const settle = (settled: SubmittedLead) => {
      place.settled = settled
      tell(settled)
      wake()
    }
    if (reason) {
      counts.notSent += 1
      settle({ ...taken, state: 'not_sent' })
      return
    }
    counts.underWay += 1
    submit(lead, callOptions)
      .then(
        (result): SubmittedLead => {
          answered[result.outcome] += 1
          return { ...taken, state: 'answered', result }
        },
        (error): SubmittedLead => {
          if (meetsEveryLead(error)) stop('refused')
          const fault = faultOf(error)
          counts[fault.state] += 1
          return { ...taken, ...fault }
        },
      )
      .then(settled => {
        counts.underWay -= 1
        settle(settled)
        pull()
      })
  }

  async function* read(): AsyncGenerator<SubmittedLead, undefined> {
    const abort = () => {
      if (!exhausted || counts.underWay > 0) stop('aborted')
    }
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    let left = true
    try {
      pull()
      for (;;) {
        const [head] = held
        if (head?.settled) {
          held.shift()
          pull()
          yield head.settled
        } else if (!head && (exhausted || reason)) break
        else await change()
      }
      left = false
    } finally {
      if (left) stop('left')
      while (counts.underWay > 0) await change()
      over = true
      signal?.removeEventListener('abort', abort)
      if (!exhausted && reason !== 'source_failed') await close()
      ended = reason ?? 'complete'
      tell(undefined)
    }
    if (reason === 'source_failed') throw failure
  }

  /** Lets the source clean up. One that is still at its next lead is not waited for: it may never come. */
  async function close(): Promise<void> {
    const closing = (async () => (source ?? open()).return?.())().catch(() => {})
    if (!pulling) await closing
  }

  let begun = false
  return {
    get progress() {
      return snapshot()
    },
    [Symbol.asyncIterator]() {
      if (begun) throw new ConfigError('A run is read once. Call `submitMany` again.')
      begun = true
      const reading = read()
      return {
        next: () => reading.next(),
        return() {
          // At once, for the generator's own return waits for a read that is under way.
          stop('left')
          return reading.return(undefined)
        },
      }
    },
  }
}
