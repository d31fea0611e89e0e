import type { HttpRequest } from './wire.ts'

/** A request as a door hands it over. */
export function wireRequest(
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
