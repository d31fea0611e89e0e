type Path = readonly (string | number)[]

/** Why a text is refused: it is no JSON, or something of it is too large. The field is that of the path. */
export class UnreadableJson extends Error {
  readonly path: Path | undefined
  constructor(message = 'is no JSON', path?: Path) {
    super(message)
    this.path = path
  }
}

/** How deep a value may be: what is deeper takes JSON.parse, JSON.stringify and shapes out of their stack. */
const maxDepth = 64

/** How many values one item may hold: each takes time and memory, however short it is. */
const maxValues = 100_000

/** How many spaces may stand between two values: they are skipped at once. */
const maxSpaces = 1_048_576

/** How many bytes the name of a field has at most. */
const maxKeyBytes = 4_096

const codeOf = (character: string) => character.charCodeAt(0)
const [quote, backslash, comma, colon] = ['"', '\\', ',', ':'].map(codeOf) as [number, number, number, number]
const opening: ReadonlySet<number> = new Set(['[', '{'].map(codeOf))
const closing: ReadonlySet<number> = new Set([']', '}'].map(codeOf))
const isSpace = (code: number | undefined) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Goes through bytes of JSON value by value. What is inside of a value is left to `JSON.parse`. */
export class JsonScanner {
  /** Its position. */
  at: number
  readonly #bytes: Uint8Array
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true })

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    // A mark of the byte order at the start is none of the text, as for a decoder.
    this.at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  }

  text(from: number, to: number): string {
    try {
      return this.#utf8.decode(this.#bytes.subarray(from, to))
    } catch {
      throw new UnreadableJson()
    }
  }

  isAt(character: '{' | '['): boolean {
    this.#skipSpace()
    return this.#bytes[this.at] === codeOf(character)
  }

  /** Steps from one member of the list or object that begins here to the next; each is to be read in between. */
  *members(end: ']' | '}'): Generator<void, void, void> {
    const isEnd = () => {
      this.#skipSpace()
      return this.#bytes[this.at] === codeOf(end)
    }
    this.at += 1
    while (!isEnd()) {
      yield
      if (isEnd()) break
      this.#expect(comma)
      // A comma that nothing follows is no JSON.
      if (isEnd()) throw new UnreadableJson()
    }
    this.at += 1
  }

  /** Reads the name of a member. */
  readKey(path: Path): string {
    if (this.#bytes[this.at] !== quote) throw new UnreadableJson()
    const key = this.readValue(maxKeyBytes, path) as string
    this.#expect(colon)
    return key
  }

  readValue(maxBytes: number, path: Path): unknown {
    this.#skipSpace()
    const start = this.at
    this.skipValue(maxBytes, path)
    return parseJson(this.text(start, this.at))
  }

  /** Goes to the end of the value that begins here. One that does not end is too large, or no JSON. */
  skipValue(maxBytes: number, path: Path): void {
    this.#skipSpace()
    const bytes = this.#bytes
    const end = Math.min(bytes.length, this.at + maxBytes)
    let [depth, count] = [0, 0]
    while (this.at < end) {
      const code = bytes[this.at] as number
      if (depth === 0 && (code === comma || isSpace(code) || closing.has(code))) return
      this.at += 1
      if (opening.has(code)) depth += 1
      if (opening.has(code) || code === comma) count += 1
      if (depth > maxDepth) throw new UnreadableJson(`must be at most ${maxDepth} levels deep`, path)
      if (count > maxValues) throw new UnreadableJson(`must hold at most ${maxValues} values`, path)
      if (code === quote) this.#skipText(end)
      else if (closing.has(code)) depth -= 1
      else continue
      if (depth === 0) return
    }
    if (end < bytes.length) throw new UnreadableJson(`must be at most ${maxBytes} bytes`, path)
  }

  expectEnd(): void {
    this.#skipSpace()
    if (this.at < this.#bytes.length) throw new UnreadableJson()
  }

  /** Goes to the end of a text, whose first quote is behind. */
  #skipText(end: number): void {
    while (this.at < end) {
      const code = this.#bytes[this.at]
      this.at += code === backslash ? 2 : 1
      if (code === quote) return
    }
  }

  #skipSpace(): void {
    const end = this.at + maxSpaces
    while (isSpace(this.#bytes[this.at])) {
      if (this.at === end) throw new UnreadableJson(`must not hold ${maxSpaces} spaces or more in a row`, [])
      this.at += 1
    }
  }

  #expect(code: number): void {
    this.#skipSpace()
    if (this.#bytes[this.at] !== code) throw new UnreadableJson()
    this.at += 1
  }
}

/** Parses a value of which all is there. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableJson()
  }
}
