import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'
import { type HttpEgress, methodAttribute, portOf, type SandboxStorage } from '@lead-distribution/simulator'
import { loggedPath } from '../log.ts'

/** Attributes of a span; undefined ones are left out. No key, token or personal data. */
export type Attributes = Readonly<Record<string, string | number | undefined>>

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

export interface TraceOptions {
  /** Returns true to record a trace, which begins here or which its caller records or does not. */
  readonly sample: (traceId: string, callerRecords: boolean | undefined) => boolean
  /** Takes spans that ended; never throws. */
  readonly add: (span: EndedSpan) => void
  /** Sends what was taken. */
  readonly close: () => Promise<void>
}

export interface SpanEnd {
  readonly name?: string
  readonly attributes?: Attributes
  readonly failed?: boolean
}

/** The parent of a span: the caller's trace by its `traceparent`, none, or the span around it. */
export type SpanParent = { readonly traceparent: string | undefined } | 'none' | 'around'

/** Records work as spans. */
export interface Tracer {
  /** Does work in a span; `describe` says what became of it. Below another span, only while that one lasts. */
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

/** Parses a caller's `traceparent` (W3C Trace Context); undefined if it is malformed. */
export function readTraceparent(header: string | undefined) {
  const [, version, traceId, spanId, flags] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(header ?? '') ?? []
  if (!version || !traceId || !spanId || !flags || version === 'ff') return undefined
  // Version 00 ends with the flags; a newer one may say more after them.
  if (version === '00' && header?.length !== 55) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, recorded: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Makes the parts of a sandbox record what they do: requests, transactions below them, and callbacks. */
export interface SandboxTraces {
  /** Traces a request. `url` returns the URL of the sandbox, once that is known. */
  request(
    request: HttpRequest,
    answer: (request: HttpRequest) => Promise<HttpResponse>,
    url: () => string | undefined,
  ): Promise<HttpResponse>
  /** Traces a transaction. */
  storage(storage: SandboxStorage): SandboxStorage
  /** Traces a callback that leaves the sandbox. */
  egress(egress: HttpEgress): HttpEgress
  /** Sends what was recorded. */
  close(): Promise<void>
}

/** Traces by the semantic conventions of OpenTelemetry for HTTP. Nothing of a header, a query or a body is in them. */
export function traceSandbox(options: TraceOptions): SandboxTraces {
  const tracer = createTracer(options)
  return {
    request: (request, answer, url) =>
      tracer.span(
        {
          name: spanName(methodAttribute(request.method)),
          kind: 'server',
          parent: { traceparent: request.headers.traceparent },
        },
        () => answer(request),
        response => endOfRequest(request, response, url()),
      ),
    storage: storage => ({
      ...storage,
      of(tenant, access) {
        const { transact, read } = storage.of(tenant, access)
        const start = { name: 'storage transaction', kind: 'internal', parent: 'around' } as const
        return {
          transact: work => tracer.span(start, () => transact(work)),
          read: work => tracer.span(start, () => read(work)),
        }
      },
    }),
    egress: ({ send }) => ({
      send: request =>
        // A trace of its own: what wakes the scheduler is any call, and not always the one that a callback is about.
        tracer.span(
          { name: 'GET', kind: 'client', parent: 'none' },
          () => send(request),
          response => {
            const url = new URL(request.url)
            const { origin, pathname, searchParams } = url
            const failed = !response.status || response.status >= 400
            const attributes = {
              'http.request.method': 'GET',
              'http.response.status_code': response.status,
              ...serverOf(url),
              'url.full': `${origin}${loggedPath(pathname)}`,
              // Not the text of the error: that names addresses.
              'error.type': failed ? String(response.status ?? '_OTHER') : undefined,
              'lead_sandbox.lead_id': searchParams.get('lead_id') ?? undefined,
              'lead_sandbox.event': searchParams.get('event') ?? undefined,
            }
            return { attributes, failed }
          },
        ),
    }),
    close: options.close,
  }
}

function endOfRequest(
  { method: given, target }: HttpRequest,
  { operation, route, status, broken }: HttpResponse,
  url: string | undefined,
): SpanEnd {
  const method = methodAttribute(given)
  const failed = broken !== undefined || status >= 500
  const attributes = {
    'http.request.method': method,
    'http.request.method_original': method === given ? undefined : given,
    'http.route': route,
    'http.response.status_code': broken === undefined ? status : undefined,
    ...(url !== undefined && { 'url.scheme': schemeOf(new URL(url)), ...serverOf(new URL(url)) }),
    'url.path': loggedPath(target.split('?', 1)[0] ?? ''),
    'error.type': failed ? String(broken ?? status) : undefined,
    'lead_sandbox.operation': operation,
  }
  return { name: spanName(method, route), attributes, failed }
}

/** The name of the span of a request: `{method} {route}`, or `{method}` where no operation has its path. */
function spanName(method: string, route?: string): string {
  const name = method === '_OTHER' ? 'HTTP' : method
  return route === undefined ? name : `${name} ${route}`
}

const schemeOf = ({ protocol }: URL) => protocol.slice(0, -1)

function serverOf(url: URL) {
  return { 'server.address': url.hostname, 'server.port': portOf(url) }
}
