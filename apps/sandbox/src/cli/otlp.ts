import { RefusedStart } from '../open-sandbox.ts'
import type { EndedSpan, TraceOptions } from '../telemetry/traces.ts'

export interface OtlpOptions {
  /** The whole URL, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Resource attributes of this program, including `service.name`. */
  readonly resource: Readonly<Record<string, string>>
  /** Timeout of one transfer, milliseconds. */
  readonly timeoutMs: number
  /** The time that spans wait for others, milliseconds. */
  readonly delayMs: number
  /** The maximum number of spans that wait; more are dropped. */
  readonly maxQueue: number
  readonly onProblem: (problem: string) => void
}

const batchSize = 512

/** Timeout of the last transfers once the server is closing, milliseconds. */
const closeGraceMs = 2_000

/** Statuses by which a collector asks for the same spans again later. */
const retryable: readonly number[] = [429, 502, 503, 504]

/** Sends spans to a collector as OTLP over HTTP, in JSON. Calls never wait for it; where it fails, spans are dropped. */
export function createOtlpExporter(options: OtlpOptions) {
  const { delayMs, maxQueue, onProblem } = options
  let queue: EndedSpan[] = []
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let failing = false
  const ending = new AbortController()

  async function send(): Promise<void> {
    const batch = queue.slice(0, batchSize)
    queue = queue.slice(batchSize)
    const problem = await transfer(options, batch, ending.signal)
    if (problem?.again) queue = [...batch, ...queue].slice(0, maxQueue)
    if (problem && !failing) onProblem(problem.text)
    failing = problem !== undefined
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    sending ??= send().finally(() => {
      sending = undefined
      if (queue.length > 0) flushLater()
    })
    return sending
  }

  function flushLater(): void {
    timer ??= setTimeout(() => void flush(), delayMs).unref()
  }

  return {
    add(span: EndedSpan): void {
      if (queue.length >= maxQueue) return
      queue.push(span)
      if (queue.length >= batchSize && !failing) void flush()
      else flushLater()
    },
    /** Sends what is left, once: a collector that is away keeps nobody waiting. */
    async close(): Promise<void> {
      const grace = setTimeout(() => ending.abort(), closeGraceMs)
      await sending
      while (queue.length > 0 && !failing) await flush()
      clearTimeout(grace)
      clearTimeout(timer)
    },
  }
}

/** Sends a batch; resolves to what went wrong. */
async function transfer(
  { url, headers, timeoutMs, resource }: OtlpOptions,
  batch: readonly EndedSpan[],
  ending: AbortSignal,
): Promise<{ text: string; again: boolean } | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(exportRequest(resource, batch)),
      redirect: 'error',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ending]),
    })
    await response.body?.cancel()
    if (response.ok) return undefined
    return { text: `The trace collector responded ${response.status}.`, again: retryable.includes(response.status) }
  } catch (error) {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException }
    return { text: `The trace collector could not be reached (${cause?.code ?? name}).`, again: true }
  }
}

const kinds = { internal: 1, server: 2, client: 3 } as const
const error = 2

/** The body of the request, as the protocol has it in JSON: ids in hexadecimal digits, times as texts of nanoseconds. */
function exportRequest(resource: OtlpOptions['resource'], batch: readonly EndedSpan[]): object {
  const spans = batch.map(({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, failed }) => ({
    traceId,
    spanId,
    name,
    kind: kinds[kind],
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: keyValues(attributes),
    status: failed ? { code: error } : {},
  }))
  const scopeSpans = [{ scope: { name: '@lead-distribution/sandbox' }, spans }]
  return { resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans }] }
}

const nanoseconds = (ms: number) => String(BigInt(Math.round(ms * 1_000)) * 1_000n)

function keyValues(attributes: Readonly<Record<string, string | number | undefined>>): object[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return []
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }]
  })
}

type Environment = Readonly<Record<string, string | undefined>>

/** The traces that OpenTelemetry's variables ask for; undefined if they ask for none. Throws a `RefusedStart`. */
export function tracesOf(environment: Environment, onProblem: (problem: string) => void): TraceOptions | undefined {
  // A variable that is empty counts as not set, as OpenTelemetry has it.
  const read = (name: string) => environment[name]?.trim() || undefined
  /** The variable for traces alone, or else that for everything. */
  const readOtlp = (name: string) => read(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? read(`OTEL_EXPORTER_OTLP_${name}`)
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  if ((read('OTEL_TRACES_EXPORTER') ?? 'otlp') !== 'otlp') return undefined
  const url = collectorUrl(read)
  if (url === undefined) return undefined
  if (readOtlp('PROTOCOL') === 'grpc')
    throw new RefusedStart(
      "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, which is not supported. Set it to http/json, and the endpoint to the collector's HTTP port, usually 4318.",
    )
  const attributes = readPairs('OTEL_RESOURCE_ATTRIBUTES', read('OTEL_RESOURCE_ATTRIBUTES'))
  const exporter = createOtlpExporter({
    url,
    headers: readPairs('OTEL_EXPORTER_OTLP_HEADERS', readOtlp('HEADERS')),
    resource: {
      'service.name': 'lead-sandbox',
      ...attributes,
      ...(read('OTEL_SERVICE_NAME') && { 'service.name': read('OTEL_SERVICE_NAME') as string }),
    },
    timeoutMs: readNumber('OTEL_EXPORTER_OTLP_TIMEOUT', readOtlp('TIMEOUT'), 10_000),
    delayMs: readNumber('OTEL_BSP_SCHEDULE_DELAY', read('OTEL_BSP_SCHEDULE_DELAY'), 5_000),
    maxQueue: readNumber('OTEL_BSP_MAX_QUEUE_SIZE', read('OTEL_BSP_MAX_QUEUE_SIZE'), 2_048),
    onProblem,
  })
  const sample = samplerOf(read('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on', read('OTEL_TRACES_SAMPLER_ARG'))
  return { ...exporter, sample }
}

function collectorUrl(read: (name: string) => string | undefined): string | undefined {
  const whole = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const base = read('OTEL_EXPORTER_OTLP_ENDPOINT')
  const url = whole ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`)
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new RefusedStart('OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, such as http://127.0.0.1:4318.')
  return url
}

/** `name=value` pairs with commas between them, percent-encoded. An error does not repeat them: they may hold a key. */
function readPairs(variable: string, text = ''): Record<string, string> {
  const pairs = text.split(',').filter(pair => pair.trim() !== '')
  try {
    return Object.fromEntries(
      pairs.map(pair => {
        const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/.exec(pair) ?? []
        if (name === '') throw new URIError()
        return [name, decodeURIComponent(value.trim())]
      }),
    )
  } catch {
    throw new RefusedStart(`${variable} must be comma-separated name=value pairs, percent-encoded.`)
  }
}

function readNumber(variable: string, text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault
  if (!/^\d{1,9}$/.test(text)) throw new RefusedStart(`${variable} must be a whole number (got ${text}).`)
  return Number(text)
}

/** Decides which traces are recorded, by a sampler's name and argument. */
function samplerOf(name: string, argument: string | undefined): TraceOptions['sample'] {
  const ratio = Number(argument ?? 1)
  const samplers: Readonly<Record<string, (traceId: string) => boolean>> = {
    always_on: () => true,
    always_off: () => false,
    // By the trace's own id, so that every program that takes part decides alike.
    traceidratio: traceId => Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52,
  }
  const [, parentBased, root = ''] = /^(parentbased_)?(\w+)$/.exec(name) ?? []
  const sampler = samplers[root]
  if (!sampler || !(ratio >= 0 && ratio <= 1))
    throw new RefusedStart(
      'OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, or one of these prefixed with parentbased_, and OTEL_TRACES_SAMPLER_ARG a number from 0 to 1.',
    )
  return (traceId, callerRecords) => (parentBased ? callerRecords : undefined) ?? sampler(traceId)
}
