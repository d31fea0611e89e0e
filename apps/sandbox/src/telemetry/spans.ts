import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpRequest } from '@lead-distribution/http'
import {
  type HttpEgress,
  methodAttribute,
  portOf,
  type Sandbox,
  type SandboxStorage,
} from '@lead-distribution/simulator'
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { decisionIn, isServiceRequest, loggedPath } from '../log.ts'
import { version } from '../package-files.ts'

const tracer = trace.getTracer('@lead-distribution/sandbox', version)

/**
 * Handles requests in spans that follow OpenTelemetry's semantic conventions for HTTP, each within its caller's trace.
 * They contain nothing from headers, query or body except the decision on a lead or a report.
 */
export function traceRequests(handle: Sandbox['handle'], sandboxUrl: string): Sandbox['handle'] {
  const url = new URL(sandboxUrl)
  return request => {
    const method = methodAttribute(request.method)
    const path = request.target.split('?', 1)[0] ?? ''
    const attributes = {
      'http.request.method': method,
      'http.request.method_original': method === request.method ? undefined : request.method,
      'url.scheme': url.protocol.slice(0, -1),
      'url.path': loggedPath(path),
      ...addressOf(url),
    }
    return inSpan(spanName(method), { kind: SpanKind.SERVER, attributes }, parentOf(request), async span => {
      const response = await handle(request)
      const { operation, route, status, broken, body } = response
      const { outcome, reason, event } = span.isRecording() && isServiceRequest({ path }) ? decisionIn(body) : {}
      if (route !== undefined) span.updateName(spanName(method, route))
      span.setAttributes({
        'http.route': route,
        'http.response.status_code': broken === undefined ? status : undefined,
        'lead_sandbox.operation': operation,
        'lead_sandbox.outcome': outcome,
        'lead_sandbox.reason': reason,
        'lead_sandbox.event': event,
      })
      if (broken !== undefined || status >= 500) fail(span, broken ?? status)
      return response
    })
  }
}

/** Records the transactions of a request as child spans. */
export function traceStorage(storage: SandboxStorage): SandboxStorage {
  return {
    ...storage,
    of(tenant, access) {
      const { transact, read } = storage.of(tenant, access)
      return {
        transact: work => inTransaction(() => transact(work)),
        read: work => inTransaction(() => read(work)),
      }
    },
  }
}

/** Only while the request is in flight, because the jobs that it triggers may belong to others. */
function inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  if (!trace.getActiveSpan()?.isRecording()) return work()
  return inSpan('storage transaction', {}, context.active(), work)
}

/**
 * Records each attempt of a callback in its own trace, because the request that woke the worker may be about another
 * lead.
 */
export function traceEgress({ send }: HttpEgress): HttpEgress {
  return {
    send(request) {
      const url = new URL(request.url)
      const attributes = {
        'http.request.method': 'GET',
        'url.full': `${url.origin}${loggedPath(url.pathname)}`,
        ...addressOf(url),
        'lead_sandbox.lead_id': url.searchParams.get('lead_id') ?? undefined,
        'lead_sandbox.event': url.searchParams.get('event') ?? undefined,
      }
      return inSpan('GET', { kind: SpanKind.CLIENT, attributes }, ROOT_CONTEXT, async span => {
        const response = await send(request)
        const { status } = response
        if (status) span.setAttribute('http.response.status_code', status)
        // Not the error's message, which contains addresses.
        if (!status || status >= 400) fail(span, status || '_OTHER')
        return response
      })
    },
  }
}

/** How long a collector has for the last spans, milliseconds. */
const flushMs = 2_000

/** Flushes the SDK's buffered spans, which would be lost when the process exits. */
export async function flushSpans(): Promise<void> {
  const registered = trace.getTracerProvider() as TracerProvider & { getDelegate?(): TracerProvider }
  const provider = (registered.getDelegate?.() ?? registered) as { forceFlush?(): Promise<void> }
  await Promise.race([provider.forceFlush?.().catch(() => undefined), sleep(flushMs, undefined, { ref: false })])
}

/** Runs work in a span. */
function inSpan<Result>(
  name: string,
  options: SpanOptions,
  parent: Context,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  return tracer.startActiveSpan(name, options, parent, async span => {
    try {
      return await work(span)
    } catch (error) {
      // Not the error itself, because its message may contain personal data.
      fail(span, '_OTHER')
      throw error
    } finally {
      span.end()
    }
  })
}

function fail(span: Span, type: string | number): void {
  span.setAttribute('error.type', String(type)).setStatus({ code: SpanStatusCode.ERROR })
}

/** The span around the sandbox in the same process, otherwise the caller's, from its `traceparent`. */
function parentOf({ headers }: HttpRequest): Context {
  return trace.getActiveSpan() ? context.active() : propagation.extract(ROOT_CONTEXT, headers)
}

/** The name of a request's span: `{method} {route}`, or `{method}` if no operation matches the path. */
function spanName(method: string, route?: string): string {
  const name = method === '_OTHER' ? 'HTTP' : method
  return route === undefined ? name : `${name} ${route}`
}

function addressOf(url: URL) {
  return { 'server.address': url.hostname, 'server.port': portOf(url) }
}
