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
export interface Counter {
  readonly counts: ReadonlyMap<string, number>
  inc(labels: string): void
}

/** A counter that shows these sets of labels from the start: a rate over a series that does not exist has no value. */
export function createCounter(initial: readonly string[] = []): Counter {
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
