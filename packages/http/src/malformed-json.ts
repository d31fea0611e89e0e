import { type WireError, wireError, wrongByteIn } from '@lead-distribution/contract'

/** A part of a body, in bytes: one value that is not JSON or, if empty, the position of unexpected content. */
interface Window {
  readonly from: number
  readonly to: number
}

/**
 * Refuses a body that is not JSON, and says where it stops being JSON. Searches by itself, because the errors of
 * `JSON.parse` differ by runtime and repeat parts of the text, which may be personal data. Default window: the whole
 * body.
 */
export function malformedJson(bytes: Uint8Array, window?: Window): WireError {
  const details = [{ field: 'body', issue: jsonIssue(bytes, window) }]
  return wireError('malformed_json', 'Send well-formed JSON in UTF-8.', details)
}

/** Returns the issue of a text that is not JSON, as {@link malformedJson} reports it. */
export function jsonIssue(
  bytes: Uint8Array,
  { from, to }: Window = { from: startsWithMark(bytes) ? 3 : 0, to: bytes.length },
): string {
  const value = bytes.subarray(from, to)
  const place = (at: number) => placeOf(decode(bytes.subarray(0, from + at)))
  const wrong = wrongByteIn(value)
  if (wrong !== undefined) {
    const found = wrong < value.length ? `byte 0x${value[wrong]?.toString(16)}` : 'part of a character'
    return `is not UTF-8: found ${found} ${place(wrong)}`
  }
  const text = decode(value)
  const at = new TextEncoder().encode(text.slice(0, findJsonError(text))).length
  const [found] = decode(bytes.subarray(from + at, from + at + 4))
  return `is not JSON: found ${found === undefined ? 'the end of the text' : JSON.stringify(found)} ${place(at)}`
}

/** Returns true if a text starts with the byte order mark, which a decoder skips. */
export function startsWithMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

/** Returns the position after a text, as line and column. */
function placeOf(before: string): string {
  const lines = before.split('\n')
  return `at line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Returns the index of the first character at which a text stops being JSON; its length if it is truncated. */
export function findJsonError(text: string): number {
  let at = 0
  const open: ('}' | ']')[] = []
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.test(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const skipAll = (...patterns: RegExp[]) => patterns.every(skip)

  function skipString(): boolean {
    if (!skip(/"/y)) return false
    for (;;) {
      skip(plainCharacters)
      if (skip(/"/y)) return true
      if (!skip(/\\/y)) return false
      if (!skip(/["\\/bfnrt]/y) && !skipAll(/u/y, hexDigit, hexDigit, hexDigit, hexDigit)) return false
    }
  }

  function skipNumber(): boolean {
    skip(/-/y)
    if (!skip(/0|[1-9]\d*/y)) return false
    if (skip(/\./y) && !skip(/\d+/y)) return false
    return !skip(/[eE][+-]?/y) || skip(/\d+/y)
  }

  function skipScalar(): boolean {
    if (text[at] === '"') return skipString()
    const word = ['true', 'false', 'null'].find(word => word[0] === text[at])
    return word ? skipAll(...[...word].map(letter => new RegExp(letter, 'y'))) : skipNumber()
  }

  const skipKey = () => skip(space) && skipString() && skip(space) && skip(/:/y)

  for (;;) {
    skip(space)
    if (skip(/[[{]/y)) {
      open.push(text[at - 1] === '{' ? '}' : ']')
      skip(space)
      if (text[at] !== open.at(-1)) {
        if (open.at(-1) === '}' && !skipKey()) return at
        continue
      }
    } else if (!skipScalar()) return at
    // After a value.
    for (;;) {
      skip(space)
      const end = open.at(-1)
      if (end !== undefined && text[at] === end) {
        at += 1
        open.pop()
        continue
      }
      if (end === undefined || !skip(/,/y) || (end === '}' && !skipKey())) return at
      break
    }
  }
}

const space = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them.
const plainCharacters = /[^"\\\u0000-\u001f]*/y
const hexDigit = /[\da-fA-F]/y
