import { readdirSync, statSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapSpaceStatistics, type HeapSpaceInfo } from 'node:v8'
import { labelSet, type Metric } from '@lead-distribution/simulator'
import { isDatabaseUrl } from '../storage/postgres/database-url.ts'

/** The sampling interval of the event loop delay, milliseconds; also its resolution. */
const resolutionMs = 10

/**
 * The metrics of this process, named by OpenTelemetry's semantic conventions in Prometheus spelling, plus the size of
 * the storage's files and the number of refused requests. The event loop delay is measured since the previous scrape;
 * `stop` ends its sampling.
 */
export function createProcessMetrics(data: string, refused: () => number): { read(): Metric[]; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  return {
    read() {
      const metrics = [...usage(), ...eventLoop(delay), ...storageFiles(data), refusals(refused())]
      delay.reset()
      return metrics
    },
    stop: () => void delay.disable(),
  }
}

/** A metric; a number is its single value. */
const metric = (type: Metric['type'], name: string, help: string, values: number | Metric['values']): Metric => ({
  name,
  type,
  help,
  values: typeof values === 'number' ? [['', values]] : values,
})

const refusals = (count: number) =>
  metric('counter', 'lead_sandbox_requests_refused_total', 'Requests refused because too many were in flight.', count)

function usage(): Metric[] {
  const { user, system } = process.cpuUsage()
  const modes: Metric['values'] = Object.entries({ user, system }).map(([mode, microseconds]) => [
    labelSet({ cpu_mode: mode }),
    microseconds / 1e6,
  ])
  const descriptors = openDescriptors()
  const spaces = getHeapSpaceStatistics()
  const ofSpaces = (read: (space: HeapSpaceInfo) => number): Metric['values'] =>
    spaces.map(space => [labelSet({ v8js_heap_space_name: space.space_name }), read(space)])
  return [
    metric('counter', 'process_cpu_time_seconds_total', 'CPU time by mode, seconds.', modes),
    metric('gauge', 'process_memory_usage_bytes', 'Resident memory size, bytes.', process.memoryUsage.rss()),
    ...(descriptors === undefined
      ? []
      : [metric('gauge', 'process_unix_file_descriptor_count', 'Open file descriptors.', descriptors)]),
    metric('gauge', 'process_uptime_seconds', 'Time since the process was started, seconds.', process.uptime()),
    metric(
      'gauge',
      'v8js_memory_heap_limit_bytes',
      'Heap memory that V8 has allocated, by space, bytes.',
      ofSpaces(({ space_size }) => space_size),
    ),
    metric(
      'gauge',
      'v8js_memory_heap_used_bytes',
      'Heap memory in use, by space, bytes.',
      ofSpaces(({ space_used_size }) => space_used_size),
    ),
  ]
}

/** Undefined if the system does not provide it. */
function openDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}

/** The delay of a timer past its due time. */
function eventLoop(delay: ReturnType<typeof monitorEventLoopDelay>): Metric[] {
  const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9) : 0)
  const of = (which: string, what: string, nanoseconds: number) =>
    metric(
      'gauge',
      `nodejs_eventloop_delay_${which}_seconds`,
      `Event loop delay, ${what} since the last scrape.`,
      seconds(nanoseconds),
    )
  // Before the first sample, the minimum is the largest possible number, and the mean is NaN.
  const { mean, max, count } = delay
  return [
    of('mean', 'mean', mean),
    of('p50', 'median', delay.percentile(50)),
    of('p90', '90th percentile', delay.percentile(90)),
    of('p99', '99th percentile', delay.percentile(99)),
    of('max', 'maximum', count === 0 ? 0 : max),
  ]
}

function storageFiles(data: string): Metric[] {
  if (data === 'memory' || isDatabaseUrl(data)) return []
  const values = Object.entries({ database: data, wal: `${data}-wal` }).map(
    ([file, path]) => [labelSet({ file }), statSync(path, { throwIfNoEntry: false })?.size ?? 0] as const,
  )
  return [metric('gauge', 'lead_sandbox_storage_size_bytes', "Size of the storage's files, bytes.", values)]
}
