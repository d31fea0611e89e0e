/** A response as a scenario reads it. */
export interface AdapterResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The parsed body; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: scenarios assert on its content.
  readonly json: any
}

/** The parts of a request besides method and target. */
export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Text and bytes are sent unchanged, anything else as JSON with its `content-type`. */
  readonly body?: unknown
  /** Aborts the request. */
  readonly signal?: AbortSignal
}

export type { Account } from '@lead-distribution/control-client'

/** One way to reach a sandbox. All of them respond the same. */
export interface Adapter {
  /** Scheme, host and port. */
  readonly url: string
  request(method: string, target: string, options?: RequestOptions): Promise<AdapterResponse>
  /** The text of a stream, chunk by chunk. */
  stream(target: string, headers?: Readonly<Record<string, string>>): Promise<AsyncIterable<string>>
  close(): Promise<void>
}

/** Opens an adapter. */
export type OpenAdapter = () => Promise<Adapter>

/** The headers and bytes of a request. */
export function encodeRequest({ headers = {}, body }: RequestOptions): {
  headers: Record<string, string>
  body: Uint8Array
} {
  if (body === undefined) return { headers: { ...headers }, body: new Uint8Array() }
  if (body instanceof Uint8Array) return { headers: { ...headers }, body }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? {} : { 'content-type': 'application/json' }
  return { headers: { ...type, ...headers }, body: new TextEncoder().encode(text) }
}

/** Creates a response from its parts. */
export function decodeResponse(status: number, headers: AdapterResponse['headers'], text: string): AdapterResponse {
  return { status, headers, text, json: parsed(text) }
}

/** The head of a stream as `fetch` gets it; the stream itself is not read. */
export async function fetchHead(url: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(url, { headers })
  await response.body?.cancel()
  return { status: response.status, headers: Object.fromEntries(response.headers) }
}

/** The text of a stream as `fetch` gets it. */
export async function fetchStream(url: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, { headers })
  const { body, status } = response
  if (status !== 200 || !body) throw new Error(`The stream got ${status}: ${await response.text()}`)
  return body.pipeThrough(new TextDecoderStream()) as AsyncIterable<string>
}

/** A server in its own process, through `fetch`. */
export function fetchAdapter(url: string): Adapter {
  return {
    url,
    async request(method, target, options = {}) {
      const { headers, body } = encodeRequest(options)
      const reply = await fetch(`${url}${target}`, {
        method,
        headers,
        ...(body.byteLength > 0 && { body: Buffer.from(body) }),
      })
      return decodeResponse(reply.status, Object.fromEntries(reply.headers), await reply.text())
    },
    stream: (target, headers) => fetchStream(`${url}${target}`, headers),
    close: async () => undefined,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
