import { keyHeader } from '@lead-distribution/contract'

/**
 * The secrets of a request, to keep them out of what is told of its reply: a server may echo them anywhere.
 * A token is listed as it is written and as it reads.
 */
export function secretsOf(url: string, headers: Readonly<Record<string, string>>): readonly string[] {
  const token = /[?&]token=([^&]*)/.exec(url)?.[1]
  const secrets = [headers[keyHeader], token, token && new URL(url).searchParams.get('token')]
  return secrets.filter(secret => typeof secret === 'string' && secret !== '') as string[]
}

/** Whether a text repeats one of the secrets. */
export function repeatsSecret(text: string, secrets: readonly string[]): boolean {
  return secrets.some(secret => text.includes(secret))
}
