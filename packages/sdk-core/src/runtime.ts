// How each runtime is recognized, and how it handles connections, caches and retries.
import { assertConfig } from './errors.ts'

/** The globals that distinguish pages, workers, Node, Bun and Deno. */
interface Runtime {
  window?: { document?: unknown }
  process?: { versions?: { node?: string; electron?: string }; env?: Record<string, string | undefined> }
  navigator?: { userAgent?: string }
  Deno?: { createHttpClient?(options: { poolMaxIdlePerHost: number }): { close(): void } }
}

const runtime = globalThis as unknown as Runtime

/** True on Node and on runtimes that imitate it, such as Bun and Deno, even if globals of a browser are polyfilled. */
const hasNode = () => Boolean(runtime.process?.versions?.node)

/** Returns an environment variable; undefined if it is missing or empty, or if there is no environment. */
export function environmentVariable(name: string): string | undefined {
  try {
    return runtime.process?.env?.[name] || undefined
  } catch {
    // Deno throws without permission to read the environment.
    return undefined
  }
}

/**
 * Refuses to run in a browser's page or worker, where every visitor can read the key.
 * @throws ConfigError in a browser, unless `dangerouslyAllowBrowser` is set.
 */
export function guardBrowser(dangerouslyAllowBrowser: boolean | undefined): void {
  const { window, navigator } = runtime
  // A worker has no document but a browser's `navigator`; Deno and edge runtimes name themselves there. Under jsdom,
  // Node has both.
  const inBrowser = (window?.document || navigator?.userAgent?.startsWith('Mozilla/')) && !hasNode()
  assertConfig(
    !inBrowser || dangerouslyAllowBrowser,
    'An API key does not belong in a browser. Call the service from a server, or set `dangerouslyAllowBrowser`.',
  )
}

/** Returns the runtime's name for the `User-Agent`; undefined in browsers, which send their own. */
export function runtimeName(): string | undefined {
  const name = runtime.navigator?.userAgent ?? ''
  if (!name.startsWith('Mozilla/')) return name.toLowerCase().replace('.js', '')
  return hasNode() ? `node/${runtime.process?.versions?.node?.split('.')[0]}` : undefined
}

/**
 * Returns the `fetch` options for this runtime. Responses are not cached, because they hold a `redirect_url` and their
 * URLs may hold a token. Redirects are not followed, because they would forward the key. Call `end` after reading the
 * response.
 */
export function requestSettings(keepAlive: boolean): {
  init: RequestInit
  headers: Record<string, string>
  end(): void
} {
  // Without idle connections, Deno does not resend.
  const client = runtime.Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0 })
  const init: RequestInit = {
    redirect: 'manual',
    // Cloudflare Workers throw on `cache` unless they support it, and then a Request has the property.
    ...('cache' in Request.prototype && ({ cache: 'no-store' } as const)),
    ...(client && { client }),
    ...(!keepAlive && { keepalive: false }),
  }
  // Node closes the connection by the header, Bun by `keepalive`. Browsers decide for themselves.
  return { init, headers: !keepAlive && hasNode() ? { connection: 'close' } : {}, end: () => client?.close() }
}

/**
 * Returns true if this runtime may resend a POST by itself, so that the service rejects the duplicate of its own lead.
 * Browsers do, and so does Deno over HTTP/2 after `REFUSED_STREAM` or `GOAWAY`. Deno uses HTTP/2 only with TLS and does
 * not report it. A custom `fetch` may not pass on our client. Node, Bun and Cloudflare Workers send a POST once, as our
 * tests show.
 */
export function mayResend(url: string, hasCustomFetch: boolean): boolean {
  const { Deno, process, navigator } = runtime
  if (Deno) return !Deno.createHttpClient || hasCustomFetch || !url.startsWith('http:')
  // Electron's pages use the browser's network stack.
  if (hasNode()) return process?.versions?.electron !== undefined
  return !navigator?.userAgent?.startsWith('Cloudflare')
}
