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
  const requests = createCounter('operation', 'status')
  const leads = createCounter('status')
  const tries = createCounter('outcome')
  return {
    request: (operation, status) => requests.inc(operation, String(status)),
    lead: status => leads.inc(status),
    callbackTry: outcome => tries.inc(outcome),
    render({ tenants }) {
      const leadsOfAnyStatus = withZeros('status', leadStatuses, leads.samples())
      const triesOfAnyOutcome = withZeros('outcome', ['delivered', 'failed'], tries.samples())
      const build = [{ labels: { version }, value: 1 }]
      const start = [{ value: startedAt / 1000 }]
      const metrics = [
        exposition('lead_sandbox_requests_total', 'counter', 'Requests that were answered.', requests.samples()),
        exposition('lead_sandbox_leads_total', 'counter', 'Submissions by the status of the lead.', leadsOfAnyStatus),
        exposition('lead_sandbox_callback_tries_total', 'counter', 'Callback tries by outcome.', triesOfAnyOutcome),
        exposition('lead_sandbox_tenants', 'gauge', 'Tenants of the sandbox.', [{ value: tenants }]),
        exposition('lead_sandbox_build_info', 'gauge', 'The version of the sandbox.', build),
        exposition('process_start_time_seconds', 'gauge', 'When the sandbox was started, seconds since 1970.', start),
      ]
      return `${metrics.flat().join('\n')}\n`
    },
  }
}

/** What was never counted is shown as zero: a rate over a series that does not exist has no value. */
function withZeros(label: string, values: readonly string[], counted: readonly Sample[]): Sample[] {
  return values.map(
    value => counted.find(({ labels }) => labels?.[label] === value) ?? { labels: { [label]: value }, value: 0 },
  )
}

/** Counts since the start, apart for each combination of its labels' values. */
export interface Counter {
  /** One more; the values in the order of the labels' names, each from a small closed set. */
  inc(...values: readonly string[]): void
  /** What was counted so far, in the order in which it was first seen. */
  samples(): Sample[]
}

/** A counter with labels of these names. */
export function createCounter(...names: readonly string[]): Counter {
  const series = new Map<string, { readonly values: readonly string[]; count: number }>()
  return {
    inc(...values) {
      const key = values.join('\n')
      const counted = series.get(key)
      if (counted) counted.count += 1
      else series.set(key, { values, count: 1 })
    },
    samples: () =>
      [...series.values()].map(({ values, count }) => ({
        labels: Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])),
        value: count,
      })),
  }
}

/** The content type of the text format of Prometheus, version 0.0.4. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** One value under its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric in the text format: its help and type, then a line for each sample. The help holds no newline and no backslash. */
export function exposition(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  samples: readonly Sample[],
): readonly string[] {
  const lines = samples.map(({ labels = {}, value }) => `${name}${labelSet(labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
}

function labelSet(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
