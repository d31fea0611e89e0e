import type { HttpRequest } from './http-message.ts'

/** A request as an adapter passes it on. */
export function httpRequest(
  method: string,
  target: string,
  more: Partial<HttpRequest> & { text?: string } = {},
): HttpRequest {
  const { text = '', ...rest } = more
  return {
    method,
    target,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(text),
    ...rest,
  }
}
