import { type LeadStatus, leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'

/** The outcome of an attempt of a callback. */
export type TryOutcome = 'delivered' | 'failed'

/** Counts what a sandbox does. No label holds a tenant's name or anything of a person. */
export interface Metrics {
  /** Records a response: of an operation, of a page, or of neither. */
  request(
    request: Pick<HttpRequest, 'method'>,
    response: Pick<HttpResponse, 'route' | 'status' | 'broken'>,
    seconds: number,
  ): void
  /** A lead was stored, or refused by a rule: then for this reason. */
  lead(status: LeadStatus, reason?: string): void
  /** Records an attempt of a callback. */
  callbackTry(outcome: TryOutcome): void
  /** A callback was delivered, or given up. */
  callback(state: TryOutcome): void
  /** A transaction of the storage ended. */
  transaction(outcome: TransactionOutcome, seconds: number): void
  /** All metrics in the text format of Prometheus, and these after them. */
  render(gauges: SandboxGauges, more: readonly Metric[]): string
}

/** The outcome of a transaction of the storage. */
export type TransactionOutcome = 'committed' | 'failed'

/** Values that are read, not counted, when the metrics are rendered. */
export interface SandboxGauges {
  /** The number of tenants. */
  readonly tenants: number
  /** Callbacks that wait for a try. */
  readonly pendingCallbacks: number
  /** The delay of the most overdue callback, seconds on its tenant's clock; 0 if none is overdue. */
  readonly oldestDueSeconds: number
  /** True if the storage takes writes. */
  readonly storageUp: boolean
  /** Calls that wait for a callback, or that a fault delays. */
  readonly waitingCalls: number
  /** Streams that are open. */
  readonly streams: number
}

/** Values that do not change while a sandbox runs. */
export interface MetricsOptions {
  /** The version of the sandbox, such as `1.2.0`. */
  readonly version: string
  /** The scheme of its URL, such as `http`. */
  readonly scheme: string
}

const outcomes = ['delivered', 'failed'] as const

/** The status of a response, or the failure that was caused instead of sending it. */
type Outcome = number | NonNullable<HttpResponse['broken']>

const knownMethods: readonly string[] = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']

/** Returns a method as the semantic conventions of OpenTelemetry record it: callers choose it, so there are few. */
export function methodAttribute(method: string): string {
  return knownMethods.includes(method) ? method : '_OTHER'
}

/** The attributes of the semantic conventions of OpenTelemetry for HTTP servers, in the spelling of Prometheus. */
function requestLabels(of: { scheme: string; method: string; route: string | undefined; outcome: Outcome }) {
  const { scheme, method, route, outcome } = of
  const isError = typeof outcome === 'string' || outcome >= 500
  return {
    http_request_method: method,
    ...(route !== undefined && { http_route: route }),
    ...(typeof outcome === 'number' && { http_response_status_code: String(outcome) }),
    url_scheme: scheme,
    ...(isError && { error_type: String(outcome) }),
  }
}

/** The metrics of one sandbox, all at zero. */
export function createMetrics({ version, scheme }: MetricsOptions): Metrics {
  /** By route, method and outcome: every request comes here, so no text is made of them. */
  const requests = new Map<string | undefined, Map<string, Map<Outcome, Histogram>>>()
  const transactions = {
    committed: createHistogram({ outcome: 'committed' }),
    failed: createHistogram({ outcome: 'failed' }),
  }
  /** The labels of each reason, and of each status that has none: written once. */
  const ofLead = new Map<string, string>([
    ...leadStatuses.filter(status => status !== 'rejected').map(status => [status, labelSet({ status })] as const),
    ...rejectionReasons.map(reason => [reason, labelSet({ status: 'rejected', reason })] as const),
  ])
  const leads = createCounter([...ofLead.values()])
  const tries = createCounter(outcomes.map(outcome => labelSet({ outcome })))
  const callbacks = createCounter(outcomes.map(state => labelSet({ state })))
  const gauge = (name: string, help: string, value: number, labels = ''): Metric => ({
    name,
    help,
    type: 'gauge',
    values: [[labels, value]],
  })

  const counted = (): Metric[] => [
    {
      name: 'http_server_request_duration_seconds',
      type: 'histogram',
      help: 'Duration of requests by method, route and status, from the request head to the response.',
      values: [...requests.values()]
        .flatMap(byMethod => [...byMethod.values()])
        .flatMap(byOutcome => [...byOutcome.values()])
        .flatMap(each => [...each.values()]),
    },
    ...[
      { name: 'lead_sandbox_leads_total', help: 'Submissions by status and reason of the lead.', of: leads },
      { name: 'lead_sandbox_callbacks_total', help: 'Callbacks that came to an end, by state.', of: callbacks },
      { name: 'lead_sandbox_callback_tries_total', help: 'Callback tries by outcome.', of: tries },
    ].map(({ name, help, of }) => ({ name, type: 'counter' as const, help, values: of.counts })),
    {
      name: 'lead_sandbox_storage_transaction_duration_seconds',
      type: 'histogram',
      help: 'Transactions of the storage by outcome, waiting for the commit included.',
      values: Object.values(transactions).flatMap(each => [...each.values()]),
    },
  ]

  return {
    request({ method: given }, { route, status, broken = status }, seconds) {
      const method = methodAttribute(given)
      const byMethod = getOrMake(requests, route, () => new Map<string, Map<Outcome, Histogram>>())
      const byOutcome = getOrMake(byMethod, method, () => new Map<Outcome, Histogram>())
      getOrMake(byOutcome, broken, () =>
        createHistogram(requestLabels({ scheme, method, route, outcome: broken })),
      ).observe(seconds)
    },
    lead: (status, reason = status) => leads.inc(ofLead.get(reason) ?? labelSet({ status })),
    callbackTry: outcome => tries.inc(labelSet({ outcome })),
    callback: state => callbacks.inc(labelSet({ state })),
    transaction: (outcome, seconds) => transactions[outcome].observe(seconds),
    render: ({ tenants, pendingCallbacks, oldestDueSeconds, storageUp, waitingCalls, streams }, more) =>
      [
        ...counted(),
        gauge('lead_sandbox_callbacks_pending', 'Callbacks that wait for a try.', pendingCallbacks),
        gauge(
          'lead_sandbox_callback_oldest_due_age_seconds',
          "Age of the oldest due callback, on its tenant's clock.",
          oldestDueSeconds,
        ),
        gauge('lead_sandbox_storage_up', 'Whether the storage takes writes.', storageUp ? 1 : 0),
        gauge('lead_sandbox_waiting_calls', 'Calls that wait for a callback, or that a fault delays.', waitingCalls),
        gauge('lead_sandbox_streams', 'Streams of events that are open.', streams),
        gauge('lead_sandbox_tenants', 'Tenants of the sandbox.', tenants),
        gauge('lead_sandbox_build_info', 'The version of the sandbox.', 1, labelSet({ version })),
        ...more,
      ]
        .map(metricText)
        .join(''),
  }
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let found = map.get(key)
  if (found === undefined) {
    found = make()
    map.set(key, found)
  }
  return found
}

// The text format of Prometheus.

/** A metric as the text format of Prometheus has it. Its help holds no newline and no backslash. */
export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** By the labels, as {@link labelSet} writes them; of a histogram after the suffix of the series. */
  readonly values: Iterable<readonly [labels: string, value: number]>
}

/** The content type of the text format of Prometheus, version 0.0.4. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** A metric in the text format: its help and type, then a line for each set of labels. */
export function metricText({ name, type, help, values }: Metric): string {
  const lines = [...values].map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** A set of labels in the text format, which escapes backslash, quote and newline as JSON does. */
export function labelSet(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`)}}`
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

/** The upper bounds of the buckets of durations, seconds: OpenTelemetry's for HTTP, and finer below. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Durations of one set of labels, in buckets. */
export interface Histogram {
  observe(seconds: number): void
  values(): Metric['values']
}

/** A histogram without any duration yet. */
export function createHistogram(labels: Readonly<Record<string, string>>): Histogram {
  /** One count for each bound, and a last one for values above all bounds. */
  const counts = new Array<number>(bounds.length + 1).fill(0)
  let sum = 0
  return {
    observe(seconds) {
      let bucket = 0
      // Most durations belong to the first bucket.
      while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket += 1
      counts[bucket] = (counts[bucket] ?? 0) + 1
      sum += seconds
    },
    values() {
      let count = 0
      const buckets = counts.map((inBucket, bucket): [string, number] => {
        count += inBucket
        return [`_bucket${labelSet({ ...labels, le: String(bounds[bucket] ?? '+Inf') })}`, count]
      })
      return [...buckets, [`_sum${labelSet(labels)}`, sum], [`_count${labelSet(labels)}`, count]]
    },
  }
}
