import { type LeadStatus, leadStatuses, rejectionReasons } from '@lead-distribution/contract'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'

/** The outcome of a callback attempt. */
export type DeliveryOutcome = 'delivered' | 'failed'

/** The sandbox's metrics. Labels contain no tenant names or personal data. */
export interface Metrics {
  /** Records a response: of an operation, of a page, or of neither. */
  request(
    request: Pick<HttpRequest, 'method'>,
    response: Pick<HttpResponse, 'route' | 'status' | 'broken'>,
    seconds: number,
  ): void
  /** Records a stored or rejected lead; a rejected one with its reason. */
  lead(status: LeadStatus, reason?: string): void
  /** Records a callback attempt. */
  callbackAttempt(outcome: DeliveryOutcome): void
  /** Records a callback that was delivered or has failed. */
  callback(state: DeliveryOutcome): void
  /** Records the end of a storage transaction. */
  transaction(outcome: TransactionOutcome, seconds: number): void
  /** Renders all metrics in the Prometheus text format, followed by the given ones. */
  render(gauges: SandboxGauges, more: readonly Metric[]): string
}

/** The outcome of a storage transaction. */
export type TransactionOutcome = 'committed' | 'failed'

/** Gauges, read when the metrics are rendered. */
export interface SandboxGauges {
  /** The number of tenants. */
  readonly tenants: number
  /** Pending callbacks. */
  readonly pendingCallbacks: number
  /** The delay of the most overdue callback, in seconds on its tenant's clock; 0 if none is overdue. */
  readonly oldestDueSeconds: number
  /** True if the storage accepts writes. */
  readonly storageUp: boolean
  /** Requests that wait for a callback or are delayed by a fault. */
  readonly waitingCalls: number
  /** Open event streams. */
  readonly streams: number
}

/** Values that stay constant while a sandbox runs. */
export interface MetricsOptions {
  /** The version of the sandbox, such as `1.2.0`. */
  readonly version: string
  /** The scheme of its URL, such as `http`. */
  readonly scheme: string
}

const outcomes = ['delivered', 'failed'] as const

/** The status of a response, or the failure injected in its place. */
type Outcome = number | NonNullable<HttpResponse['broken']>

const knownMethods: readonly string[] = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']

/**
 * Returns a method label by OpenTelemetry's semantic conventions, which replace unknown methods to bound the number of
 * labels.
 */
export function methodAttribute(method: string): string {
  return knownMethods.includes(method) ? method : '_OTHER'
}

/** The attributes of OpenTelemetry's semantic conventions for HTTP servers, in Prometheus spelling. */
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

/** Creates the metrics of a sandbox, all at zero. */
export function createMetrics({ version, scheme }: MetricsOptions): Metrics {
  /** By route, method and outcome. Nested maps, because building a text key for every request is slow. */
  const requests = new Map<string | undefined, Map<string, Map<Outcome, Histogram>>>()
  const transactions = {
    committed: createHistogram({ outcome: 'committed' }),
    failed: createHistogram({ outcome: 'failed' }),
  }
  /** The labels of each status and reason, rendered once. */
  const ofLead = new Map<string, string>([
    ...leadStatuses.filter(status => status !== 'rejected').map(status => [status, labelSet({ status })] as const),
    ...rejectionReasons.map(reason => [reason, labelSet({ status: 'rejected', reason })] as const),
  ])
  const leads = createCounter([...ofLead.values()])
  const attempts = createCounter(outcomes.map(outcome => labelSet({ outcome })))
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
      help: 'Request duration by method, route and status, from the request head to the response.',
      values: [...requests.values()]
        .flatMap(byMethod => [...byMethod.values()])
        .flatMap(byOutcome => [...byOutcome.values()])
        .flatMap(each => [...each.values()]),
    },
    ...[
      { name: 'lead_sandbox_leads_total', help: 'Submissions by lead status and rejection reason.', of: leads },
      { name: 'lead_sandbox_callbacks_total', help: 'Delivered and failed callbacks, by state.', of: callbacks },
      { name: 'lead_sandbox_callback_attempts_total', help: 'Callback attempts by outcome.', of: attempts },
    ].map(({ name, help, of }) => ({ name, type: 'counter' as const, help, values: of.counts })),
    {
      name: 'lead_sandbox_storage_transaction_duration_seconds',
      type: 'histogram',
      help: 'Storage transactions by outcome, including the wait for the commit.',
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
    callbackAttempt: outcome => attempts.inc(labelSet({ outcome })),
    callback: state => callbacks.inc(labelSet({ state })),
    transaction: (outcome, seconds) => transactions[outcome].observe(seconds),
    render: ({ tenants, pendingCallbacks, oldestDueSeconds, storageUp, waitingCalls, streams }, more) =>
      [
        ...counted(),
        gauge('lead_sandbox_callbacks_pending', 'Pending callbacks.', pendingCallbacks),
        gauge(
          'lead_sandbox_callback_oldest_due_age_seconds',
          "Age of the oldest due callback, on its tenant's clock.",
          oldestDueSeconds,
        ),
        gauge('lead_sandbox_storage_up', '1 if the storage accepts writes, otherwise 0.', storageUp ? 1 : 0),
        gauge(
          'lead_sandbox_waiting_requests',
          'Requests that wait for a callback or are delayed by a fault.',
          waitingCalls,
        ),
        gauge('lead_sandbox_streams', 'Open event streams.', streams),
        gauge('lead_sandbox_tenants', 'Number of tenants.', tenants),
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

// The Prometheus text format.

/** A metric in the Prometheus text format. Its help must not contain newlines or backslashes. */
export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Values by labels, as {@link labelSet} writes them; for a histogram, after the series suffix. */
  readonly values: Iterable<readonly [labels: string, value: number]>
}

/** The content type of the Prometheus text format, version 0.0.4. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** Renders a metric: its help and type, then a line for each set of labels. */
export function metricText({ name, type, help, values }: Metric): string {
  const lines = [...values].map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** Renders a set of labels. The format escapes backslash, quote and newline as JSON does. */
export function labelSet(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`)}}`
}

/** Counts since startup for each set of labels. */
interface Counter {
  readonly counts: ReadonlyMap<string, number>
  inc(labels: string): void
}

/** Creates a counter that shows these sets of labels from the start, because a rate over a missing series has no value. */
function createCounter(initial: readonly string[] = []): Counter {
  const counts = new Map(initial.map(labels => [labels, 0]))
  return {
    counts,
    inc: labels => void counts.set(labels, (counts.get(labels) ?? 0) + 1),
  }
}

/** The upper bounds of the duration buckets, in seconds: OpenTelemetry's for HTTP, with finer ones at the low end. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The durations for one set of labels, in buckets. */
export interface Histogram {
  observe(seconds: number): void
  values(): Metric['values']
}

/** Creates an empty histogram. */
export function createHistogram(labels: Readonly<Record<string, string>>): Histogram {
  /** One count per bound, and one for values above all bounds. */
  const counts = new Array<number>(bounds.length + 1).fill(0)
  let sum = 0
  return {
    observe(seconds) {
      let bucket = 0
      // Linear search: most durations belong to the first bucket.
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
