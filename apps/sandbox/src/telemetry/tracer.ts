import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/** What a span says of its work; values that are undefined are left out. No key, token or personal data. */
export type Attributes = Readonly<Record<string, string | number | undefined>>

/** A span that ended. */
export interface EndedSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** The span that it belongs to; undefined for the first of a trace. */
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly failed: boolean
}

/** The kinds of OpenTelemetry: work inside, a request that was answered, a request that was sent. */
export type SpanKind = 'internal' | 'server' | 'client'

/** How traces are made and where they go. */
export interface TraceOptions {
  /** Whether to record a trace that begins here, or that its caller records or does not. */
  readonly sample: (traceId: string, callerRecords: boolean | undefined) => boolean
  /** Takes spans that ended; never throws. */
  readonly add: (span: EndedSpan) => void
  /** Sends what was taken. */
  readonly close: () => Promise<void>
}

/** What is known of a span when its work is done. */
export interface SpanEnd {
  readonly name?: string
  readonly attributes?: Attributes
  readonly failed?: boolean
}

/** Where a span belongs: to the caller's trace by its `traceparent`, to none, or below the span around it. */
export type SpanParent = { readonly traceparent: string | undefined } | 'none' | 'around'

/** Records work as spans. */
export interface Tracer {
  /**
   * Does work in a span; `describe` says what became of it. A span that belongs below the one around it is recorded only
   * while that one lasts.
   */
  span<Result>(
    start: { readonly name: string; readonly kind: SpanKind; readonly parent: SpanParent },
    work: () => Promise<Result>,
    describe?: (result: Result) => SpanEnd,
  ): Promise<Result>
}

interface ActiveSpan {
  readonly traceId: string
  readonly spanId: string
  readonly recorded: boolean
  /** Milliseconds since 1970 at which the clock of `performance` was at 0: one for a trace, so that its spans agree. */
  readonly originMs: number
  ended: boolean
}

/** A tracer over the context that Node carries along with asynchronous work. */
export function createTracer({ sample, add }: Pick<TraceOptions, 'sample' | 'add'>): Tracer {
  const active = new AsyncLocalStorage<ActiveSpan>()

  function begin(parent: SpanParent): { span: ActiveSpan; parentId: string | undefined } | undefined {
    const spanId = randomBytes(8).toString('hex')
    if (parent === 'around') {
      const around = active.getStore()
      if (!around?.recorded || around.ended) return undefined
      return { span: { ...around, spanId, ended: false }, parentId: around.spanId }
    }
    const caller = parent === 'none' ? undefined : readTraceparent(parent.traceparent)
    const traceId = caller?.traceId ?? randomBytes(16).toString('hex')
    const recorded = sample(traceId, caller?.recorded)
    const originMs = Date.now() - performance.now()
    return { span: { traceId, spanId, recorded, originMs, ended: false }, parentId: caller?.spanId }
  }

  return {
    async span({ name, kind, parent }, work, describe) {
      const begun = begin(parent)
      if (!begun) return work()
      const { span, parentId } = begun
      if (!span.recorded) return active.run(span, work)
      const start = performance.now()
      const end = (what: SpanEnd) => {
        span.ended = true
        const { traceId, spanId, originMs } = span
        const times = { startMs: originMs + start, endMs: originMs + performance.now() }
        add({ traceId, spanId, parentId, name, kind, attributes: {}, failed: false, ...times, ...what })
      }
      try {
        const result = await active.run(span, work)
        end(describe?.(result) ?? {})
        return result
      } catch (error) {
        end({ failed: true })
        throw error
      }
    },
  }
}

/** What a caller says of its trace, as W3C Trace Context has it; undefined where that is not well-formed. */
export function readTraceparent(header: string | undefined) {
  const [, version, traceId, spanId, flags] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(header ?? '') ?? []
  if (!version || !traceId || !spanId || !flags || version === 'ff') return undefined
  // Version 00 ends with the flags; a newer one may say more after them.
  if (version === '00' && header?.length !== 55) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, recorded: (Number.parseInt(flags, 16) & 1) === 1 }
}
