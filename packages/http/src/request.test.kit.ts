import type { WireRequest } from './wire.ts'

/** A request as a door hands it over. */
export function wireRequest(
  method: string,
  target: string,
  more: Partial<WireRequest> & { text?: string } = {},
): WireRequest {
  const { text = '', ...rest } = more
  return {
    method,
    target,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(text),
    ...rest,
  }
}
