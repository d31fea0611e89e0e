import { basePath } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'
import { controlOperations, controlPath, type HttpEgress, type SandboxStorage } from '@lead-distribution/simulator'
import { loggedPath } from '../log.ts'
import { createTracer, type TraceOptions } from './tracer.ts'

/** Has the parts of a sandbox record what they do: requests, transactions below them, and callbacks. */
export interface SandboxTraces {
  /** Traces a request. */
  request(request: HttpRequest, answer: (request: HttpRequest) => Promise<HttpResponse>): Promise<HttpResponse>
  /** Traces a transaction. */
  storage(storage: SandboxStorage): SandboxStorage
  /** Traces a callback that leaves the sandbox. */
  egress(egress: HttpEgress): HttpEgress
  /** Sends what was recorded. */
  close(): Promise<void>
}

/** The paths of the operations, their parameters by name. */
const routes: ReadonlyMap<string, string> = new Map(
  [
    { base: basePath, table: operations },
    { base: controlPath, table: controlOperations },
  ].flatMap(({ base, table }) => Object.entries(table).map(([name, { path }]) => [name, `${base}${path}`] as const)),
)

/** Traces by the conventions of OpenTelemetry for HTTP. Nothing of a header, a query or a body is in them. */
export function traceSandbox(options: TraceOptions): SandboxTraces {
  const tracer = createTracer(options)
  return {
    request: (request, answer) =>
      tracer.span(
        { name: request.method, kind: 'server', parent: { traceparent: request.headers.traceparent } },
        () => answer(request),
        response => endOfRequest(request, response),
      ),
    storage: storage => ({
      ...storage,
      of(tenant, expected) {
        const { transact } = storage.of(tenant, expected)
        const start = { name: 'storage transaction', kind: 'internal', parent: 'around' } as const
        return { transact: work => tracer.span(start, () => transact(work)) }
      },
    }),
    egress: ({ send }) => ({
      send: request =>
        // A trace of its own: what wakes the scheduler is any call, and not always the one that a callback is about.
        tracer.span(
          { name: 'callback', kind: 'client', parent: 'none' },
          () => send(request),
          response => {
            const { hostname, searchParams } = new URL(request.url)
            const attributes = {
              'http.request.method': 'GET',
              'server.address': hostname,
              'http.response.status_code': response.status,
              'lead_sandbox.lead_id': searchParams.get('lead_id') ?? undefined,
              'lead_sandbox.event': searchParams.get('event') ?? undefined,
            }
            return { attributes, failed: !response.status || response.status >= 400 }
          },
        ),
    }),
    close: options.close,
  }
}

function endOfRequest({ method, target }: HttpRequest, { operation, status }: HttpResponse) {
  const route = operation === undefined ? undefined : routes.get(operation)
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'url.path': loggedPath(target.split('?', 1)[0] ?? ''),
    'lead_sandbox.operation': operation,
  }
  return { ...(route && { name: `${method} ${route}` }), attributes, failed: status >= 500 }
}
