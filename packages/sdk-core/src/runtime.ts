// The behavior of each runtime: how to recognize it, and how it handles connections, caches and retries.
import { assertConfig } from './errors.ts'

/** The globals that tell a page, a worker, Node, Bun and Deno apart. */
interface Runtime {
  window?: { document?: unknown }
  process?: { versions?: { node?: string; electron?: string }; env?: Record<string, string | undefined> }
  navigator?: { userAgent?: string }
  Deno?: { createHttpClient?(options: { poolMaxIdlePerHost: number }): { close(): void } }
}

const runtime = globalThis as unknown as Runtime

/** True on Node and what imitates it, such as Bun and Deno, whatever polyfills a page's globals. */
const hasNode = () => Boolean(runtime.process?.versions?.node)

/** Reads an environment variable; undefined if it is missing or empty, or if there is no environment to read. */
export function environmentVariable(name: string): string | undefined {
  try {
    return runtime.process?.env?.[name] || undefined
  } catch {
    // Deno throws if the environment may not be read.
    return undefined
  }
}

/**
 * Refuses to run in a page or a worker of a browser, where every visitor can read the key.
 * @throws ConfigError this is a browser, and `dangerouslyAllowBrowser` is not set.
 */
export function guardBrowser(dangerouslyAllowBrowser: boolean | undefined): void {
  const { window, navigator } = runtime
  // A worker has no document, but a browser's name; Deno and edge runtimes have another one. Under jsdom, Node has both.
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
 * Returns the settings of a request for this runtime. No reply is cached: it holds a `redirect_url`, its URL perhaps a
 * token. And a redirect is not followed, because it would carry the key along. Call `end` when the response was read.
 */
export function requestSettings(keepAlive: boolean): {
  init: RequestInit
  headers: Record<string, string>
  end(): void
} {
  // Without idle connections, Deno resends nothing.
  const client = runtime.Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0 })
  const init: RequestInit = {
    redirect: 'manual',
    // Cloudflare Workers throw for `cache` unless they know it, and then a Request has it.
    ...('cache' in Request.prototype && ({ cache: 'no-store' } as const)),
    ...(client && { client }),
    ...(!keepAlive && { keepalive: false }),
  }
  // Node closes the connection by the header, Bun by `keepalive`. Browsers have their own rules.
  return { init, headers: !keepAlive && hasNode() ? { connection: 'close' } : {}, end: () => client?.close() }
}

/**
 * Returns true if this runtime may send a POST again by itself, so that the service rejects the repeat of its own lead.
 * Browsers do, and so does Deno over HTTP/2, after `REFUSED_STREAM` or `GOAWAY`. Deno uses HTTP/2 only with TLS and does
 * not report it. A custom `fetch` may not pass our client on. Node, Bun and Cloudflare Workers send a POST once, as our
 * tests show.
 */
export function mayResend(url: string, hasCustomFetch: boolean): boolean {
  const { Deno, process, navigator } = runtime
  if (Deno) return !Deno.createHttpClient || hasCustomFetch || !url.startsWith('http:')
  // The pages of Electron use the browser's network.
  if (hasNode()) return process?.versions?.electron !== undefined
  return !navigator?.userAgent?.startsWith('Cloudflare')
}
