// What runtimes do with a request by themselves.

interface Deno {
  createHttpClient?(options: { poolMaxIdlePerHost: number }): { close(): void }
}

const deno = () => (globalThis as { Deno?: Deno }).Deno

/**
 * Deno sends a request again by itself when a connection that it kept closes without a reply. This client keeps none.
 * Close it after the reply. Undefined in other runtimes.
 */
export function clientWithoutResend(): { close(): void } | undefined {
  return deno()?.createHttpClient?.({ poolMaxIdlePerHost: 0 })
}

/** The runtimes of which our tests show that they send a POST once. */
const sendsOnce = /^(Node|Bun|Cloudflare)/

/**
 * Returns true if this runtime may send a POST again by itself, so that the service refuses its own lead: browsers do, and Deno
 * does over HTTP/2, after `REFUSED_STREAM` or `GOAWAY`. It speaks that only with TLS, and does not report it. A custom
 * `fetch` may not pass our client on.
 */
export function mayResend(url: string, hasCustomFetch: boolean): boolean {
  const prevented = deno()?.createHttpClient && !hasCustomFetch && url.startsWith('http:')
  return !prevented && !sendsOnce.test(globalThis.navigator?.userAgent)
}
