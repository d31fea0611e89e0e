import { ConfigError } from '../errors/config-error.ts'

/**
 * Refuses to run in a browser's page or worker: a key that stands there can be read by every visitor.
 * @throws ConfigError
 */
export function guardBrowser(dangerouslyAllowBrowser: boolean | undefined): void {
  // Node, Deno, Bun and edge runtimes name themselves; browsers, and they alone, say Mozilla.
  const inBrowser = globalThis.navigator?.userAgent?.startsWith('Mozilla/') ?? false
  if (inBrowser && !dangerouslyAllowBrowser) {
    throw new ConfigError(
      'An API key does not belong in a browser: every visitor can read it. Call from a server, or set `dangerouslyAllowBrowser` where no key is at stake.',
    )
  }
}
