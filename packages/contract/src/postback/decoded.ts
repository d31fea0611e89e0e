/** A text with its percent escapes read; undefined where a % escapes nothing. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
