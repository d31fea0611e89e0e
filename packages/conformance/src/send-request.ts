import { keyHeader } from '@lead-distribution/contract'
import type { Facts } from './facts.ts'
import type { CallOptions, TargetResponse } from './target.ts'

/** How requests go out: as the global `fetch` does it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** How long a response may take, milliseconds: far above what any answer needs. */
const replyWithinMs = 30_000

/** Sends a request; redirects are not followed, so that no key ever goes to another host. */
export async function sendRequest(
  fetch: Fetch,
  method: string,
  url: string,
  { key, headers = {}, body }: CallOptions,
): Promise<TargetResponse> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(isData(body) ? { 'content-type': 'application/json' } : {}),
      ...(key === undefined ? {} : { [keyHeader]: key }),
      ...headers,
    },
    body: isData(body) ? JSON.stringify(body) : (body as string | Uint8Array<ArrayBuffer> | undefined),
    redirect: 'manual',
    signal: AbortSignal.timeout(replyWithinMs),
  } as RequestInit)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parsed(text) }
}

function isData(body: unknown): boolean {
  return body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Takes out of a text what no report may contain: the keys and secrets of the target, tokens, and e-mail addresses.
 */
export function redactor({ publisher, advertisers, callback_secret = '' }: Facts): (text: string) => string {
  const secrets = [
    publisher.api_key,
    callback_secret,
    ...advertisers.flatMap(each => [each.api_key, each.postback_secret ?? '']),
  ]
    .filter(secret => secret !== '')
    .toSorted((a, b) => b.length - a.length)
  return text =>
    secrets
      .reduce((kept, secret) => kept.replaceAll(secret, '[key]'), text)
      .replace(/([?&](?:token|apikey|[\w-]*signature)=)[^&\s"]+/gi, '$1[token]')
      .replace(/[^\s"'<>,:;(){}[\]]+@[^\s"'<>,:;(){}[\]]+/g, '[e-mail]')
}
