import { type LeadStatus, leadStatuses } from '@lead-distribution/contract'

/** How a try of a callback ended: with a response that counts as delivered, or otherwise. */
export type TryOutcome = 'delivered' | 'failed'

/** Counts what a sandbox does. No label holds a tenant's name or anything of a person. */
export interface Metrics {
  /** A request was answered: by an operation of one of the tables, or by none of them. */
  request(operation: string, status: number): void
  /** A lead was stored, or refused by a rule. */
  lead(status: LeadStatus): void
  /** A callback was tried. */
  callbackTry(outcome: TryOutcome): void
  /** All metrics in the text format of Prometheus. */
  render(gauges: SandboxGauges): string
}

/** What is read, not counted, when the metrics are rendered. */
export interface SandboxGauges {
  /** How many tenants there are. */
  readonly tenants: number
}

/** What does not change while a sandbox runs. */
export interface MetricsOptions {
  /** When it was started, milliseconds since 1970 of real time. */
  readonly startedAt: number
  /** The version of the sandbox, such as `1.2.0`. */
  readonly version: string
}

/** The metrics of one sandbox, all at zero. */
export function createMetrics({ startedAt, version }: MetricsOptions): Metrics {
  const requests = createCounter()
  const leads = createCounter(leadStatuses.map(status => labelSet({ status })))
  const tries = createCounter((['delivered', 'failed'] as const).map(outcome => labelSet({ outcome })))
  return {
    request: (operation, status) => requests.inc(labelSet({ operation, status: String(status) })),
    lead: status => leads.inc(labelSet({ status })),
    callbackTry: outcome => tries.inc(labelSet({ outcome })),
    render: ({ tenants }) =>
      [
        metricText('lead_sandbox_requests_total', 'counter', 'Requests that were answered.', requests.counts),
        metricText('lead_sandbox_leads_total', 'counter', 'Submissions by the status of the lead.', leads.counts),
        metricText('lead_sandbox_callback_tries_total', 'counter', 'Callback tries by outcome.', tries.counts),
        metricText('lead_sandbox_tenants', 'gauge', 'Tenants of the sandbox.', [['', tenants]]),
        metricText('lead_sandbox_build_info', 'gauge', 'The version of the sandbox.', [[labelSet({ version }), 1]]),
        metricText('process_start_time_seconds', 'gauge', 'When the sandbox was started, seconds since 1970.', [
          ['', startedAt / 1000],
        ]),
      ].join(''),
  }
}

/** Counts since the start, apart for each set of labels. */
interface Counter {
  readonly counts: ReadonlyMap<string, number>
  inc(labels: string): void
}

/** A counter that shows these sets of labels from the start: a rate over a series that does not exist has no value. */
function createCounter(initial: readonly string[] = []): Counter {
  const counts = new Map(initial.map(labels => [labels, 0]))
  return {
    counts,
    inc: labels => void counts.set(labels, (counts.get(labels) ?? 0) + 1),
  }
}

/** The content type of the text format of Prometheus, version 0.0.4. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** A metric in the text format: its help and type, then a line for each set of labels. The help holds no newline and no backslash. */
function metricText(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  values: Iterable<readonly [labels: string, value: number]>,
): string {
  const lines = [...values].map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** A set of labels in the text format, which escapes backslash, quote and newline as JSON does; exported for its test. */
export function labelSet(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`)}}`
}
