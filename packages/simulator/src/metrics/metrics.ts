import { type LeadStatus, leadStatuses } from '@lead-distribution/contract'
import { createCounter } from './counter.ts'
import { exposition, type Sample } from './exposition.ts'

/** What a try of a callback ended with: a reply that counts as taken, or anything else. */
export type TryOutcome = 'delivered' | 'failed'

/** Counts what a sandbox does. No label holds a tenant's name or anything of a person. */
export interface Metrics {
  /** A request was answered: by an operation of one of the tables, or by none of them. */
  request(operation: string, status: number): void
  /** A lead was stored, or refused by a rule. */
  lead(status: LeadStatus): void
  /** A callback was tried. */
  callbackTry(outcome: TryOutcome): void
  /** All of it in the text format of Prometheus. */
  render(facts: SandboxFacts): string
}

/** What is not counted but so when it is looked at. */
export interface SandboxFacts {
  /** How many tenants there are. */
  readonly tenants: number
}

/** What stays as it is while a sandbox is up. */
export interface MetricsOptions {
  /** When it was started, milliseconds since 1970 of real time. */
  readonly startedAt: number
  /** The version of the sandbox, such as `1.2.0`. */
  readonly version: string
}

/** The metrics of one sandbox, all at zero. */
export function createMetrics({ startedAt, version }: MetricsOptions): Metrics {
  const requests = createCounter('operation', 'status')
  const leads = createCounter('status')
  const tries = createCounter('outcome')
  return {
    request: (operation, status) => requests.inc(operation, String(status)),
    lead: status => leads.inc(status),
    callbackTry: outcome => tries.inc(outcome),
    render({ tenants }) {
      const lines = [
        exposition('lead_sandbox_requests_total', 'counter', 'Requests that were answered.', requests.samples()),
        exposition(
          'lead_sandbox_leads_total',
          'counter',
          'Submissions that were decided, by what became of the lead.',
          withZeros('status', leadStatuses, leads.samples()),
        ),
        exposition(
          'lead_sandbox_callback_tries_total',
          'counter',
          'Tries of callbacks, by how they ended.',
          withZeros('outcome', ['delivered', 'failed'], tries.samples()),
        ),
        exposition('lead_sandbox_tenants', 'gauge', 'Tenants that are there.', [{ value: tenants }]),
        exposition('lead_sandbox_build_info', 'gauge', 'The version of the sandbox.', [
          { labels: { version }, value: 1 },
        ]),
        exposition('process_start_time_seconds', 'gauge', 'When the sandbox was started, seconds since 1970.', [
          { value: startedAt / 1000 },
        ]),
      ]
      return `${lines.flat().join('\n')}\n`
    },
  }
}

/** What was never counted is shown as zero: a rate over a series that is not there has no value. */
function withZeros(label: string, values: readonly string[], counted: readonly Sample[]): Sample[] {
  return values.map(
    value => counted.find(({ labels }) => labels?.[label] === value) ?? { labels: { [label]: value }, value: 0 },
  )
}
