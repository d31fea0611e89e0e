import { keyHeader } from '@lead-distribution/contract'

/** Whether a text of a reply repeats something of what was sent. */
export type Echo = (text: string) => boolean

/**
 * Knows what was sent again, to keep it out of what is told of the reply: a server may repeat anything anywhere.
 * The key and the token count wherever they stand, the token as it is written and as it reads; of the query and the
 * body, each word of each value.
 */
export function echoOf(url: string, headers: Readonly<Record<string, string>>, body = ''): Echo {
  const query = url.includes('?') ? new URL(url).searchParams : undefined
  const secrets = [headers[keyHeader], query?.get('token'), /[?&]token=([^&]*)/.exec(url)?.[1]]
    .filter(secret => secret)
    .map(secret => (secret as string).toLowerCase())
  let sent: string | undefined
  let words: readonly string[] | undefined
  return text => {
    const lower = text.toLowerCase()
    if (secrets.some(secret => lower.includes(secret))) return true
    sent ??= `${url} ${body}`.toLowerCase()
    const said = plain(lower)
    // Most texts share nothing with what was sent, and then it need not be taken apart.
    if (!said.split(' ').some(word => word.length > 2 && sent?.includes(word))) return false
    words ??= wordsOf(query, body)
    return words.some(word => said.includes(word))
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
  // Two letters and their blanks are too little to be told from chance.
  return values.flatMap(value => value.split(/\s+/).map(plain)).filter(word => word.length > 4 && !fields.has(word))
}

/** In lower case, with one blank for whatever stands between letters and digits, and at both ends. */
function plain(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()} `
}
