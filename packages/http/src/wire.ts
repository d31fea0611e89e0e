/** A request as every door hands it over: plain data, no framework's object. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string
  /** Path and query as they came in, such as `/api/v1/lead?a=b`. */
  readonly target: string
  /** By lower-case name; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /**
   * The raw body. A door may stop reading behind the limit of a body: one byte more than that is enough
   * to tell that a body is too large.
   */
  readonly body: Uint8Array
}

/**
 * How a reply fails on its way, on purpose, so that clients can be tested: its text ends in the middle, the connection
 * is cut in place of it, or nothing is ever sent.
 */
export type BrokenReply = 'garbled' | 'cut' | 'withheld'

/** A reply as every door sends it. */
export interface HttpResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What the door does in place of sending it. */
  readonly broken?: Exclude<BrokenReply, 'garbled'>
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

/** A reply with a JSON body. */
export function jsonResponse(status: number, body: object, headers?: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers: headers ? { ...jsonHeaders, ...headers } : jsonHeaders, body: JSON.stringify(body) }
}
