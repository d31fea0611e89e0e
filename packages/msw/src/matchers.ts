import { canonicalEvent, docUrl, type RejectionReason, rejectionReasons } from '@lead-distribution/contract'
import { ControlError, type TenantControl } from '@lead-distribution/control-client'

/** A tenant of a sandbox, in this process or on a server, in which failing matchers look up decisions. @inline */
export type ExplainingSandbox = Pick<TenantControl, 'leads' | 'requests'>

/** A callback that a test expects. @inline */
export type WantedCallback = {
  /** The event, by either name: `approved` also matches `loan_issued`. */
  readonly event: string
  /** The lead. */
  readonly leadId: string | null | undefined
  /**
   * How long to wait for the delivery, milliseconds of real time, even with fake timers. Default: 1000. `.not` does not
   * wait.
   */
  readonly timeoutMs?: number | undefined
}

/**
 * The matchers added to vitest and Jest. Await each of them: on failure, it asks the sandbox for the reasons.
 * @category Testing
 */
export interface LeadMatchers {
  /**
   * Passes if an advertiser accepted the lead. Expects the result of a submission with the publisher SDK, or the
   * response's JSON body. On failure, it prints every check of the decision.
   */
  toBeDistributed(): Promise<void>
  /** Passes if the lead is new: stored, but not accepted by any advertiser. */
  toBeNew(): Promise<void>
  /** Passes if the lead was rejected, for the given reason if there is one. */
  toBeRejected(reason?: RejectionReason): Promise<void>
  /**
   * Passes if the sandbox has delivered the callback or delivers it within `timeoutMs`. Expects a tenant of the
   * sandbox. On failure, it prints every attempt.
   */
  toHaveDelivered(callback: WantedCallback): Promise<void>
}

/** The result of a matcher, for vitest or Jest. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** The part of the matcher context that vitest and Jest share. */
interface MatcherState {
  /** Undefined in vitest without `.not`. */
  readonly isNot?: boolean | undefined
}

type Outcome = 'distributed' | 'new' | 'rejected'

const registered = new Set<ExplainingSandbox>()

/**
 * Lets failing matchers look up decisions in a tenant, from `createLeadSandbox()` or `connectSandbox()`. Tenants of
 * `useLeadSandbox` are registered already. Returns a function that unregisters the tenant.
 * @example
 * ```ts
 * import { connectSandbox } from '@lead-distribution/control-client'
 * import { explainFailuresBy } from '@lead-distribution/msw/vitest'
 *
 * const { tenant } = await connectSandbox('http://127.0.0.1:4010')
 * explainFailuresBy(tenant)
 * ```
 * @category Testing
 */
export function explainFailuresBy(tenant: ExplainingSandbox): () => void {
  registered.add(tenant)
  return () => void registered.delete(tenant)
}

/** The matchers that are waiting for a sandbox. */
const unfinished = new Set<Promise<MatcherResult>>()

/**
 * Waits for matchers that a test did not await, for runners that do not notice them.
 * @throws Error the message of the first one that fails.
 */
export async function finishFailures(): Promise<void> {
  const results = await Promise.all(unfinished)
  const first = results.find(({ message }) => message() !== '')
  if (first) throw new Error(`${first.message()}\n\nWrite \`await\` before this \`expect\`.`)
}

/** The matchers, for `expect.extend`. */
export const leadMatchers = {
  toBeDistributed(this: MatcherState, received: unknown) {
    return matchOutcome(this, received, 'distributed')
  },
  toBeNew(this: MatcherState, received: unknown) {
    return matchOutcome(this, received, 'new')
  },
  async toBeRejected(this: MatcherState, received: unknown, reason?: RejectionReason) {
    if (reason !== undefined && !rejectionReasons.includes(reason))
      throw new TypeError(`\`${reason}\` is not a rejection reason. The reasons are ${rejectionReasons.join(', ')}.`)
    return matchOutcome(this, received, 'rejected', reason)
  },
  async toHaveDelivered(this: MatcherState, received: unknown, wanted: WantedCallback): Promise<MatcherResult> {
    const tenant = tenantIn(received)
    const { isNot = false } = this
    const { event, leadId, timeoutMs = 1_000 } = wanted
    if (typeof event !== 'string') throw new TypeError('`toHaveDelivered` requires an `event` and a `leadId`.')
    if (typeof leadId !== 'string')
      throw new TypeError('`leadId` is missing. A lead that was rejected before it was created has no callbacks.')
    return finish(async () => {
      const delivered = await isDelivered(tenant, { event, leadId, timeoutMs: isNot ? 0 : timeoutMs })
      if (delivered !== isNot) return { pass: delivered, message: () => '' }
      const call = `expect(sandbox)${isNot ? '.not' : ''}.toHaveDelivered({ event: '${event}', leadId: '${leadId}' })`
      const summary = isNot
        ? `The callback for ${event} was delivered.`
        : `No callback for ${event} was delivered within ${timeoutMs} ms.`
      const details = await callbacksText(tenant, leadId, event).catch(failedLookUp)
      return { pass: delivered, message: () => [call, summary, details].join('\n\n') }
    })
  },
}

/** Tracks a matcher until it has its result. */
function finish(match: () => Promise<MatcherResult>): Promise<MatcherResult> {
  const result = match()
  unfinished.add(result)
  return result.finally(() => unfinished.delete(result))
}

async function matchOutcome(
  { isNot = false }: MatcherState,
  received: unknown,
  outcome: Outcome,
  reason?: RejectionReason,
): Promise<MatcherResult> {
  const found = readResult(received)
  const pass = found.outcome === outcome && (reason === undefined || found.reason === reason)
  if (pass !== isNot) return { pass, message: () => '' }
  return finish(async () => {
    const name = `toBe${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}`
    const call = `expect(result)${isNot ? '.not' : ''}.${name}(${reason === undefined ? '' : `'${reason}'`})`
    const wanted = nameOf(outcome, reason)
    const got = nameOf(found.outcome, found.reason)
    const summary = isNot ? `The lead is ${got}.` : `The lead should be ${wanted}, but it is ${got}.`
    const details = await decisionText(found).catch(failedLookUp)
    return { pass, message: () => [call, summary, details].join('\n\n') }
  })
}

const nameOf = (outcome: string, reason: string | undefined) =>
  reason === undefined ? outcome : `${outcome}: ${reason}`

/** The part of a submission result that matchers read. */
interface FoundResult {
  readonly outcome: string
  readonly lead_id: string | undefined
  readonly reason: string | undefined
}

/** Reads the publisher SDK's result, or the body of a response. */
function readResult(received: unknown): FoundResult {
  const { outcome, status, lead_id, rejection_reason, error } = Object(received) as Record<string, unknown>
  const is422 = error === 'consents_missing' || error === 'invalid_product'
  const found = is422 ? 'rejected' : (outcome ?? status)
  if (typeof found !== 'string') {
    const hint = typeof Object(received).then === 'function' ? 'Await it first.' : 'Got something else.'
    throw new TypeError(`Pass the result of \`publisher.submit()\`, or the JSON body of the response. ${hint}`)
  }
  return { outcome: found, lead_id: textOf(lead_id), reason: textOf(is422 ? error : rejection_reason) }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

type Trace = Awaited<ReturnType<TenantControl['leads']['explain']>>['trace']

/** One check of a decision, as stored with a lead or in the journal, which omits the input. */
type Step = Partial<Trace[number]> & Pick<Trace[number], 'check' | 'verdict'>

/** Returns the decision recorded by a sandbox, check by check. */
async function decisionText(found: FoundResult): Promise<string> {
  if (registered.size === 0)
    return 'To see every check of the decision, register the sandbox: `explainFailuresBy(tenant)`.'
  const traces = await Promise.all([...registered].map(tenant => findTrace(tenant, found)))
  const known = traces.filter(trace => trace !== undefined)
  if (known.length > 1) return 'Several sandboxes received such a submission, so its checks cannot be determined.'
  const [trace] = known
  if (!trace) return 'No sandbox known to the matchers recorded this decision.'
  const about = found.reason !== undefined && (rejectionReasons as readonly string[]).includes(found.reason)
  return [traceText(trace), ...(about ? [`See ${docUrl('rejections', found.reason)}`] : [])].join('\n\n')
}

/** Finds a lead's trace; for a rejection that stored no lead, the trace of the latest matching one in the journal. */
async function findTrace(
  tenant: ExplainingSandbox,
  { lead_id, reason }: FoundResult,
): Promise<readonly Step[] | undefined> {
  if (lead_id !== undefined)
    return tenant.leads.show(lead_id).then(
      ({ trace }) => trace,
      error => {
        if (ControlError.is(error) && error.status === 404) return undefined
        throw error
      },
    )
  const { requests } = await tenant.requests.list({ operation: 'submitLead', limit: 100 })
  return requests.find(request => (request.reason ?? request.outcome) === reason && request.lead_id === undefined)
    ?.trace
}

const failedLookUp = (error: Error) => `Asking the sandbox for the reasons failed: ${error.message}`

/** Returns the checks that were reached in columns, each followed by its hint. */
function traceText(trace: readonly Step[]): string {
  const reached = trace.filter(({ verdict, hint }) => verdict !== 'skipped' || hint !== undefined)
  const rows = reached.map(({ check, verdict, input, threshold }) => [check, verdict, plain(input), plain(threshold)])
  const lines = columns([['check', 'verdict', 'given', 'wanted'], ...rows])
  const hints = reached.flatMap(({ check, hint }) => (hint === undefined ? [] : [`${check}: ${hint}`]))
  const left = trace.filter(step => !reached.includes(step)).map(({ check }) => check)
  return [
    lines.join('\n'),
    ...(hints.length > 0 ? [hints.join('\n')] : []),
    ...(left.length > 0 ? [`Not reached: ${left.join(', ')}`] : []),
  ].join('\n\n')
}

/** The longest value printed in full, characters. */
const maxShown = 200

function plain(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows.map(row => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
}

type DeliveringSandbox = Pick<TenantControl, 'leads' | 'callbacks'>

function tenantIn(received: unknown): DeliveringSandbox {
  const { leads, callbacks } = Object(received) as Partial<DeliveringSandbox>
  if (typeof callbacks?.wait === 'function' && leads) return received as DeliveringSandbox
  throw new TypeError('Pass a tenant of the sandbox, such as the one from `useLeadSandbox()` or `connectSandbox()`.')
}

async function isDelivered(
  { callbacks }: DeliveringSandbox,
  wanted: Parameters<TenantControl['callbacks']['wait']>[0],
): Promise<boolean> {
  try {
    await callbacks.wait(wanted)
    return true
  } catch (error) {
    if (ControlError.is(error) && error.status === 404) return false
    throw error
  }
}

/** Returns a lead's callbacks with every attempt, those for the event first. */
async function callbacksText({ leads }: DeliveringSandbox, lead_id: string, event: string): Promise<string> {
  const { callbacks, events } = await leads.show(lead_id)
  const reported = events.map(each => each.event).join(', ') || 'none'
  const isWanted = (callback: (typeof callbacks)[number]) => canonicalEvent(callback.event) === canonicalEvent(event)
  if (callbacks.length === 0) return `The lead has no callbacks. Events reported by an advertiser: ${reported}.`
  const shown = [...callbacks.filter(isWanted), ...callbacks.filter(callback => !isWanted(callback))]
  const blocks = shown.map(callback => {
    const { state, held, attempts, next_attempt_at: next } = callback
    // Only the host, because the rest of a callback URL may be secret.
    const head = `${callback.event} to ${new URL(callback.url).host}: ${state}${held ? `, held (${held})` : ''}`
    const tries = attempts.map(({ at, status, error, ms }) => [
      at,
      status === undefined ? '' : `${status}`,
      `${ms} ms`,
      error ?? '',
    ])
    const list = tries.length > 0 ? columns([['attempt at', 'status', 'took', 'error'], ...tries]) : ['  not attempted']
    return [head, ...list, ...(next === undefined ? [] : [`  next attempt at ${next}`])].join('\n')
  })
  return [...blocks, `Events reported by an advertiser: ${reported}.`].join('\n\n')
}
