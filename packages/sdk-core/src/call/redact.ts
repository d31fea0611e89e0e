import { keyHeader } from '@lead-distribution/contract'
import { ownHeaders } from '../settings/request-headers.ts'

/** Whether a text of a reply repeats something of the request. */
export type IsSensitive = (text: string) => boolean

/**
 * Recognises what was sent, to keep it out of what is shown of the reply: a server may repeat anything anywhere.
 * The key, the token and the caller's own headers count in any part of a text, the token raw and decoded; of the query and the body, each word of
 * each value.
 */
export function sensitiveIn(url: string, headers: Headers, body = ''): IsSensitive {
  const query = url.includes('?') ? new URL(url).searchParams : undefined
  // A short value of a header, such as that of a scenario, is no secret, and occurs at random.
  const given = [...headers].filter(([name, value]) => value.length > 7 && !ownHeaders.includes(name))
  const secrets = [
    headers.get(keyHeader),
    ...given.map(([, value]) => value),
    query?.get('token'),
    /[?&]token=([^&]*)/.exec(url)?.[1],
  ].flatMap(secret => (secret ? secret.toLowerCase() : []))
  let sent: string | undefined
  let words: readonly string[] | undefined
  return text => {
    const lower = text.toLowerCase()
    if (secrets.some(secret => lower.includes(secret))) return true
    sent ??= `${url} ${body}`.toLowerCase()
    const given = plain(lower)
    // Most texts share nothing with what was sent, and then it need not be taken apart.
    if (!given.split(' ').some(word => word.length > 2 && sent?.includes(word))) return false
    words ??= wordsOf(query, body)
    return words.some(word => given.includes(word))
  }
}

/** The words of the values. One that also names a field, such as `email`, says nothing about a person. */
function wordsOf(query: URLSearchParams | undefined, body: string): string[] {
  const values = [...(query?.values() ?? [])]
  const fields = new Set<string>()
  JSON.parse(body || '0', (field, value) => {
    fields.add(plain(field))
    if (typeof value === 'string' || typeof value === 'number') values.push(`${value}`)
    return value
  })
  // Two letters and their blanks occur at random too often.
  return values.flatMap(value => value.split(/\s+/).map(plain)).filter(word => word.length > 4 && !fields.has(word))
}

/** In lower case, with one blank for everything between letters and digits, and at both ends. */
function plain(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()} `
}

// A list of what may pass: a reply may echo a key in any header, and `location` of a redirect repeats a token.
const harmless = ['content-type', 'date', 'retry-after', 'server', 'via', 'x-request-id', 'cf-ray', 'allow']

/** The headers of a reply that may be kept and logged. */
export function harmlessHeaders(headers: Headers, isSensitive: IsSensitive): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of harmless) {
    const value = headers.get(name)
    // A date is no free text, and each reply has one.
    if (value && (/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(value) || !isSensitive(value))) {
      kept[name] = value.slice(0, 200)
    }
  }
  return kept
}
