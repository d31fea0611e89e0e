import { readdirSync, statSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { labelSet, type Metric } from '@lead-distribution/simulator'
import { isDatabaseUrl } from '../storage/postgres/database-url.ts'

/** The sampling interval of the event loop's delay, milliseconds, which is also its precision. */
const resolutionMs = 10

/**
 * The metrics of this process, by the names that dashboards for Node know, the size of the storage's files, and the
 * requests that were refused. The delay of the event loop is that since the last time: `stop` ends its sampling.
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

const metric = (type: Metric['type'], name: string, help: string, value: number): Metric => ({
  name,
  type,
  help,
  values: [['', value]],
})

const refusals = (count: number) =>
  metric('counter', 'lead_sandbox_requests_refused_total', 'Requests refused because too many were in flight.', count)

function usage(): Metric[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  const descriptors = openDescriptors()
  return [
    metric('counter', 'process_cpu_user_seconds_total', 'User CPU time, seconds.', user / 1e6),
    metric('counter', 'process_cpu_system_seconds_total', 'System CPU time, seconds.', system / 1e6),
    metric('counter', 'process_cpu_seconds_total', 'Total user and system CPU time, seconds.', (user + system) / 1e6),
    metric('gauge', 'process_resident_memory_bytes', 'Resident memory size, bytes.', rss),
    ...(descriptors === undefined ? [] : [metric('gauge', 'process_open_fds', 'Open file descriptors.', descriptors)]),
    metric('gauge', 'nodejs_heap_size_total_bytes', 'Heap memory that V8 has allocated, bytes.', heapTotal),
    metric('gauge', 'nodejs_heap_size_used_bytes', 'Heap memory in use, bytes.', heapUsed),
    metric(
      'gauge',
      'nodejs_external_memory_bytes',
      'Memory outside the heap that JavaScript objects hold, bytes.',
      external,
    ),
  ]
}

/** Undefined where the system does not show them. */
function openDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}

/** By the names of prom-client: the delay beyond the time at which a timer was due. */
function eventLoop(delay: ReturnType<typeof monitorEventLoopDelay>): Metric[] {
  const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9) : 0)
  const lag = (suffix: string, what: string, nanoseconds: number) =>
    metric('gauge', `nodejs_eventloop_lag_${suffix}seconds`, `Event loop delay, ${what}.`, seconds(nanoseconds))
  // Without a sample yet, the least is the greatest number there is, and the mean none.
  const { mean, max, count } = delay
  return [
    lag('mean_', 'mean since the last scrape', mean),
    lag('p50_', 'median since the last scrape', delay.percentile(50)),
    lag('p99_', '99th percentile since the last scrape', delay.percentile(99)),
    lag('max_', 'maximum since the last scrape', count === 0 ? 0 : max),
  ]
}

/** The files of a SQLite storage. */
function storageFiles(data: string): Metric[] {
  if (data === 'memory' || isDatabaseUrl(data)) return []
  const values = Object.entries({ database: data, wal: `${data}-wal` }).map(
    ([file, path]) => [labelSet({ file }), statSync(path, { throwIfNoEntry: false })?.size ?? 0] as const,
  )
  return [
    { name: 'lead_sandbox_storage_size_bytes', type: 'gauge', help: "Size of the storage's files, bytes.", values },
  ]
}
