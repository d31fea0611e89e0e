import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: string } }[]
  readonly status: { code?: number }
}

interface ReceivedBody {
  resourceSpans: { resource: Pick<ReceivedSpan, 'attributes'>; scopeSpans: { spans: ReceivedSpan[] }[] }[]
}

/** What a collector received. */
export interface Received {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: ReceivedBody
}

/** A collector on this machine, closed with the test. It answers `statuses` in turn, and from the last on 200. */
export async function openCollector({ statuses = [] as number[], silent = false } = {}) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    received.push({ path: request.url, headers: request.headers, body: (await json(request)) as ReceivedBody })
    if (!silent) response.writeHead(statuses.shift() ?? 200, { 'content-type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const spans = () =>
    received.flatMap(({ body }) => body.resourceSpans.flatMap(each => each.scopeSpans[0]?.spans ?? []))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, spans }
}

/** The attributes of a span by their names. */
export function attributesOf({ attributes }: Pick<ReceivedSpan, 'attributes'>): Record<string, string | undefined> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
}
