import { assertConfig, ConfigError } from '../errors/unsent-errors.ts'

/** An API key, or where it comes from; `null` leaves the environment unread. */
export type ApiKey = string | (() => string | Promise<string>) | null

/** The environment variable of each client's key. */
export type KeyVariable = 'LEAD_PUBLISHER_API_KEY' | 'LEAD_ADVERTISER_API_KEY'

/**
 * A function that returns the key of each call. It reads the environment at the first call and remembers it; it calls
 * the user's function each time, so that a rotated key takes effect. It throws a ConfigError, or rejects with one, where
 * there is no key, one that no header can carry (the runtime's own error for that would repeat the key), or one
 * that the guard refuses.
 */
export function keySource(
  apiKey: ApiKey | undefined,
  variable: KeyVariable,
  guard: (key: string) => void,
): () => string | Promise<string> {
  let remembered: string | undefined
  return () => {
    if (typeof apiKey === 'function') return ask(apiKey).then(checked)
    // `||`: a variable that was empty so far is read again.
    if (apiKey === undefined) remembered ||= fromEnvironment(variable)
    return checked(apiKey === undefined ? remembered : apiKey)
  }

  function checked(key: unknown): string {
    const ways = apiKey === null ? '' : ` or ${variable}`
    assertConfig(typeof key === 'string' && key, `There is no API key. Set \`apiKey\`${ways}.`)
    assertConfig(/^[\x21-\x7e]+$/.test(key), 'The API key must be printable ASCII without spaces.')
    guard(key)
    return key
  }
}

async function ask(apiKey: () => string | Promise<string>): Promise<unknown> {
  try {
    return await apiKey()
  } catch {
    // Its own error may hold the key, or what opens the vault.
    throw new ConfigError('The `apiKey` function failed. Look into its source.')
  }
}

function fromEnvironment(variable: KeyVariable): string | undefined {
  try {
    // `process` is not everywhere, and a deep read of a bundler's substitute must not throw.
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[variable]
  } catch {
    // Deno throws where the environment may not be read: then it holds no key.
    return undefined
  }
}
