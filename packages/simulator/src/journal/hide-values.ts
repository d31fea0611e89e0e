// Masks values in a foreign text, in every encoding that a program might use: another letter case, no accents, percent or
// form encoding, JSON or HTML escapes, or the wrong character set.

/** The placeholder for a masked value. */
export const mask = '***'

/** A text in one encoding, with the start and end of each of its characters in the original. */
interface Spelling {
  readonly text: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** The maximum number of nested encodings to undo, such as JSON in a query in a query. */
const maxEncodings = 3

/** The minimum length of a value to find regardless of separators between its letters and digits. */
const minSqueezed = 6

/** A run of characters that start no escape, an escape, or one character. */
const unit =
  /[ -$'-[\]-~]+|%(?:[0-7][\da-f]|[cd][\da-f]%[89ab][\da-f]|e[\da-f](?:%[89ab][\da-f]){2}|f[0-7](?:%[89ab][\da-f]){3}|[\da-f]{2})|\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|\\u[\da-f]{4}|\\[^u]|&#?\w{1,31};|./gisu

/** ASCII without escapes. */
const withoutEscapes = /^[\t\n\r -$'-[\]-~]*$/

/** A possibly incomplete escape or character at the end of a text. */
const half = /(?:%[\da-f]?|\\(?:u[\da-f]{0,3})?|&#?\w{0,31}|[\ufffd\ud800-\udbff])$/i

/** The maximum number of consecutive incomplete parts: a four-byte character has three before its last. */
const maxHalves = 4

/** Replaces a character that could not be decoded. */
const unreadable = '\ufffd'

/**
 * Returns a function that masks all `values` in a text. In a truncated text, it also masks the beginning of a value at
 * the end. Masks every occurrence, even where values overlap or contain each other.
 */
export function createHiding(values: readonly string[]): (text: string, isCut?: boolean) => string {
  const trimmed = values.map(value => value.trim()).filter(value => value !== '')
  const folded = [...new Set(trimmed.flatMap(value => [fold(value), fold(asLatin1(value))]))]
  const squeezed = folded.map(squeezeText).filter(value => value.length >= minSqueezed)

  /** Returns true if a text has no escapes and none of the values. The fast path for most texts. */
  function hasNone(text: string): boolean {
    if (!withoutEscapes.test(text)) return false
    const plain = foldAlike(text)
    if (folded.some(value => plain.includes(value))) return false
    const letters = squeezeText(plain)
    return !squeezed.some(value => letters.includes(value))
  }

  return (text, isCut = false) => {
    if (values.length === 0 || (!isCut && hasNone(text))) return text
    const hidden = new Uint8Array(text.length)
    const hideAll = (spelling: Spelling, wanted: readonly string[]) => {
      const ends = isCut ? wholeEndings(spelling.text) : []
      for (const value of wanted) {
        hideWhole(spelling, value, hidden)
        for (const end of ends) hideStart(spelling, value, end, hidden)
      }
    }
    let spelling = wholeOf(text)
    let plain = spelledBy(spelling, fold)
    hideAll(plain, folded)
    for (let level = 0; level < maxEncodings; level++) {
      // Not of the folded text, in which a character such as ㉑ can end an escape.
      const decoded = spelledBy(spelling, decode)
      if (decoded.text === spelling.text) break
      spelling = decoded
      plain = spelledBy(spelling, fold)
      hideAll(plain, folded)
    }
    hideAll(squeeze(plain), squeezed)
    return withMasks(text, hidden)
  }
}

function hideWhole({ text, starts, ends }: Spelling, value: string, hidden: Uint8Array): void {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
    hidden.fill(1, starts[at], ends[at + value.length - 1])
}

/** Returns a text, and its versions without incomplete characters at the end. */
function wholeEndings(text: string): string[] {
  const endings = [text]
  for (let nth = 0; nth < maxHalves; nth++) endings.push(endings[nth]?.replace(half, '') ?? '')
  return [...new Set(endings)]
}

/** Masks the longest prefix of a value at the end of a truncated text. */
function hideStart({ starts }: Spelling, value: string, text: string, hidden: Uint8Array): void {
  let length = Math.min(value.length - 1, text.length)
  while (length > 0 && !text.endsWith(value.slice(0, length))) length--
  if (length > 0) hidden.fill(1, starts[text.length - length])
}

function withMasks(text: string, hidden: Uint8Array): string {
  let shown = ''
  for (let from = 0; from < text.length; ) {
    const isHidden = hidden[from]
    let to = from + 1
    while (to < text.length && hidden[to] === isHidden) to++
    shown += isHidden ? mask : text.slice(from, to)
    from = to
  }
  return shown
}

function wholeOf(text: string): Spelling {
  const starts = Array.from({ length: text.length }, (_, place) => place)
  return { text, starts, ends: starts.map(place => place + 1) }
}

/** Transforms each unit of a text, and maps the positions. */
function spelledBy({ text, starts, ends }: Spelling, spell: (text: string) => string): Spelling {
  const spelled = { text: '', starts: [] as number[], ends: [] as number[] }
  for (const { 0: before, index } of text.matchAll(unit)) {
    const after = spell(before)
    const isLetterByLetter = after.length === before.length
    const last = index + before.length - 1
    // A combining accent belongs to the letter before it.
    if (after === '' && spelled.ends.length > 0) spelled.ends[spelled.ends.length - 1] = ends[last] ?? 0
    spelled.text += after
    for (let nth = 0; nth < after.length; nth++) {
      spelled.starts.push(starts[isLetterByLetter ? index + nth : index] ?? 0)
      spelled.ends.push(ends[isLetterByLetter ? index + nth : last] ?? 0)
    }
  }
  return spelled
}

/** Removes differences in letter case, accents and kind of whitespace. */
function fold(text: string): string {
  return isAscii(text) ? foldAlike(text) : Array.from(text, foldAlike).join('')
}

/** Folds one character, or ASCII. In other text, the case of a letter may depend on its neighbors. */
function foldAlike(text: string): string {
  const upper = text.toLowerCase().toUpperCase()
  const plain = isAscii(upper)
    ? upper
    : upper
        .normalize('NFKD')
        .replace(/[\p{M}\p{Cf}]/gu, '')
        .toUpperCase()
  return plain.toLowerCase().replace(/[+\s]/g, ' ')
}

const isAscii = (text: string) => /^[ -~]*$/.test(text)

/** Removes everything but letters and digits. */
function squeezeText(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Removes everything but letters and digits, and maps the positions. */
function squeeze({ text, starts, ends }: Spelling): Spelling {
  const places = [...text.matchAll(/[\p{L}\p{N}]/gu)].flatMap(({ 0: { length }, index }) =>
    Array.from({ length }, (_, nth) => index + nth),
  )
  return {
    text: places.map(place => text[place]).join(''),
    starts: places.map(place => starts[place] ?? 0),
    ends: places.map(place => ends[place] ?? 0),
  }
}

/** Returns a text as it looks after its Latin-1 bytes were decoded as UTF-8. */
const asLatin1 = (text: string) => text.replace(/[^ -~]/gu, unreadable)

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }),
)

function decode(text: string): string {
  if (text.length === 1) return text
  if (text.startsWith('%'))
    return utf8.decode(Uint8Array.from(text.slice(1).split('%'), hex => Number.parseInt(hex, 16)))
  if (/^\\u./i.test(text)) return text.replace(/\\u(.{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  if (/^\\[bfnrt]$/i.test(text)) return ' '
  if (text.startsWith('\\')) return text.slice(1)
  return text.startsWith('&') ? decodeEntity(text.slice(1, -1)) : text
}

function decodeEntity(name: string): string {
  if (!name.startsWith('#')) return entities.get(name.toLowerCase()) ?? unreadable
  const code = Number(name.replace(/^#x/i, '0x').replace(/^#/, ''))
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : unreadable
}
