import type { EndedSpan } from '../../telemetry/tracer.ts'

/** Where spans go, and how. */
export interface OtlpOptions {
  /** The whole URL, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** What describes this program, `service.name` among it. */
  readonly resource: Readonly<Record<string, string>>
  /** How long one transfer may take, milliseconds. */
  readonly timeoutMs: number
  /** How long spans wait for others, milliseconds. */
  readonly delayMs: number
  /** How many spans wait at most; more are dropped. */
  readonly maxQueue: number
  /** Called when transfers begin to fail. */
  readonly onProblem: (problem: string) => void
}

const batchSize = 512

/** How long the last transfers may take once the server is closing, milliseconds. */
const closeGraceMs = 2_000

/** What a collector answers when it wants the same spans again later. */
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
    return { text: `The collector of traces answered ${response.status}.`, again: retryable.includes(response.status) }
  } catch (error) {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException }
    return { text: `The collector of traces was not reached (${cause?.code ?? name}).`, again: true }
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
