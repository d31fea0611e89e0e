import { errorStatus, keyHeader, rejectionReasons } from '@lead-distribution/contract'
import { ownHeaders } from './request-headers.ts'

/** Returns true if a response text repeats part of the request. */
export type IsSensitive = (text: string) => boolean

/**
 * Recognizes sent data, to keep it out of everything that is shown of a response: a server may echo anything anywhere.
 * The key, the token (raw and decoded) and the caller's own headers match in any part of a text; the query and the body
 * match word by word.
 */
export function sensitiveIn(url: string, headers: Headers, body = ''): IsSensitive {
  const query = url.includes('?') ? new URL(url).searchParams : undefined
  // A short header value, such as a scenario name, is not a secret and matches by chance.
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
    // Most texts share nothing with the sent data, and then it need not be split into words.
    if (!given.split(' ').some(word => word.length > 2 && sent?.includes(word))) return false
    words ??= wordsOf(query, body)
    return words.some(word => given.includes(word))
  }
}

/** The words of the service's own error codes and reasons: repeating one reveals nothing about a person. */
const publicWords = new Set([...Object.keys(errorStatus), ...rejectionReasons].flatMap(code => code.split('_')))

/**
 * Splits the values into words. A word of the wire itself, such as a field name or a part of one, reveals nothing about
 * a person.
 */
function wordsOf(query: URLSearchParams | undefined, body: string): string[] {
  const values = [...(query?.values() ?? [])]
  const fields = new Set(publicWords)
  JSON.parse(body || '0', (field, value) => {
    for (const word of plain(field).split(' ')) fields.add(word)
    if (typeof value === 'string' || typeof value === 'number') values.push(`${value}`)
    return value
  })
  // Two letters with their spaces match by chance too often.
  return values
    .flatMap(value => value.split(/\s+/).map(plain))
    .filter(
      text =>
        text.length > 4 &&
        !text
          .trim()
          .split(' ')
          .every(word => fields.has(word)),
    )
}

/** Normalizes a text to lower case, with one space between runs of letters and digits and at each end. */
function plain(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()} `
}

// An allow list: a response may echo a key in any header, and a redirect's `location` repeats a token.
const harmless = ['content-type', 'date', 'retry-after', 'server', 'via', 'x-request-id', 'cf-ray', 'allow']

/** Returns the headers of a response that are safe to keep and log. */
export function harmlessHeaders(headers: Headers, isSensitive: IsSensitive): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of harmless) {
    const value = headers.get(name)
    // A date is not free text, and every response has one.
    if (value && (/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(value) || !isSensitive(value))) {
      kept[name] = value.slice(0, 200)
    }
  }
  return kept
}
