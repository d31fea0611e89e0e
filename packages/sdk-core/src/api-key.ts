import { assertConfig, ConfigError } from './errors.ts'
import { environmentVariable } from './runtime.ts'

/** The API key, or a function that returns it; `null` ignores the environment. @inline */
export type ApiKey = string | (() => string | Promise<string>) | null

/** The environment variable of each client's key. */
export type KeyVariable = 'LEAD_PUBLISHER_API_KEY' | 'LEAD_ADVERTISER_API_KEY'

/**
 * Creates the function that resolves the API key for each call. It reads the environment on the first call and
 * remembers the key. A function passed by the user runs on every call, so a rotated key takes effect. It throws or
 * rejects with a ConfigError if there is no key, if the key is not a valid header value (the runtime's own error would
 * repeat the key), or if the guard refuses it.
 */
export function keySource(
  apiKey: ApiKey | undefined,
  variable: KeyVariable,
  guard: (key: string) => void,
): () => string | Promise<string> {
  let remembered: string | undefined
  return () => {
    if (typeof apiKey === 'function') return ask(apiKey).then(checked)
    // `||`: a variable that was empty is read again on the next call.
    if (apiKey === undefined) remembered ||= environmentVariable(variable)
    return checked(apiKey === undefined ? remembered : apiKey)
  }

  function checked(key: unknown): string {
    const ways = apiKey === null ? '' : ` or ${variable}`
    assertConfig(typeof key === 'string' && key, `The API key is missing. Set \`apiKey\`${ways}.`)
    assertConfig(/^[\x21-\x7e]+$/.test(key), 'The API key must be printable ASCII without spaces.')
    guard(key)
    return key
  }
}

async function ask(apiKey: () => string | Promise<string>): Promise<unknown> {
  try {
    return await apiKey()
  } catch {
    // The function's own error may hold the key or the credentials of a vault.
    throw new ConfigError('The `apiKey` function failed. Check where it gets the key.')
  }
}
