/** A token as it was before it was written wrongly, and how that was, as a part of a sentence. */
export interface TokenWriting {
  readonly text: string
  readonly mistake: string
}

const spaces = 'has spaces or line ends: take them away'

/** What a token may have been before something happened to it on its way, the likeliest first. */
export function writingsOf(token: string): TokenWriting[] {
  const once = decoded(token) ?? token
  return [
    { text: token.trim(), mistake: spaces },
    { text: once, mistake: 'was URL-encoded twice: use the URL as it was delivered' },
    { text: decoded(once) ?? once, mistake: 'was URL-encoded three times: use the URL as it was delivered' },
    {
      text: token.replaceAll(/^["'`<{[]|["'`>}\]]$/g, ''),
      mistake: 'has quotes or brackets around it: take them away',
    },
    { text: token.replaceAll(' ', '+'), mistake: 'lost a plus sign: write it as %2B' },
    { text: token.replaceAll(/\s/g, ''), mistake: spaces },
  ].filter(({ text }) => text !== token)
}

/** A text with its percent escapes read; undefined where a % escapes nothing. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
