import { startsWithMark } from '@lead-distribution/http'
import { nextTurn } from '../time/locks.ts'

/** The bounds of a field of a large JSON object. */
export interface PartBounds {
  /** The maximum number of items or members that its value has. */
  readonly items: number
  /** The maximum number of bytes that each of them has. */
  readonly itemBytes: number
}

/** A field whose value is a list or an object, its items or members not yet parsed. */
export interface Part {
  readonly kind: 'list' | 'object'
  readonly length: number
  /** The size of each. */
  bytes(index: number): number
  /** Parses one: an item of a list, or an object with one member. */
  parse(index: number): unknown
}

/** A JSON object whose large fields are in parts, and the values of all others. */
export interface JsonParts {
  readonly parts: ReadonlyMap<string, Part>
  readonly values: Readonly<Record<string, unknown>>
}

/** The maximum size of a value that is not in parts, bytes. */
const maxValueBytes = 1_048_576

/** The maximum number of fields that the object has. */
const maxFields = 100

/** The number of bytes to read before yielding to other work. */
const turnBytes = 131_072

/**
 * Reads a large JSON object, as `JSON.parse` would, without parsing it at once: that takes a second where 16 MiB are
 * hostile, and stops everything else. Bounds are checked before anything is parsed. Undefined where it is no object.
 * @throws UnreadableJson
 * @throws NotJson
 */
export async function readJsonParts(
  bytes: Uint8Array,
  bounds: Readonly<Record<string, PartBounds>>,
): Promise<JsonParts | undefined> {
  const scanner = new JsonScanner(bytes)
  const parts = new Map<string, Part>()
  const values: [string, unknown][] = []
  if (!scanner.isAt('{')) {
    scanner.readValue(maxValueBytes, [])
    scanner.expectEnd()
    return undefined
  }
  let fields = 0
  for (const _ of scanner.members('}')) {
    fields += 1
    if (fields > maxFields) throw new UnreadableJson(`must have at most ${maxFields} fields`, [])
    const name = scanner.readKey([])
    const bound = Object.hasOwn(bounds, name) ? bounds[name] : undefined
    const kind = scanner.isAt('[') ? 'list' : scanner.isAt('{') ? 'object' : undefined
    parts.delete(name)
    if (bound && kind) parts.set(name, await readPart(scanner, name, kind, bound))
    else values.push([name, scanner.readValue(maxValueBytes, [name])])
  }
  scanner.expectEnd()
  return { parts, values: Object.fromEntries(values.filter(([name]) => !parts.has(name))) }
}

async function readPart(
  scanner: JsonScanner,
  name: string,
  kind: Part['kind'],
  { items, itemBytes }: PartBounds,
): Promise<Part> {
  const starts: number[] = []
  const valueStarts: number[] = []
  const ends: number[] = []
  let turnAt = scanner.at + turnBytes
  for (const _ of scanner.members(kind === 'list' ? ']' : '}')) {
    if (starts.length === items) throw new UnreadableJson(`must hold at most ${items} items`, [name])
    const start = scanner.at
    const path = [name, kind === 'list' ? starts.length : scanner.readKey([name])]
    valueStarts.push(scanner.at)
    scanner.skipValue(itemBytes, path)
    starts.push(start)
    ends.push(scanner.at)
    if (scanner.at < turnAt) continue
    await nextTurn()
    turnAt = scanner.at + turnBytes
  }
  const parse = (index: number) => scanner.parse(valueStarts[index] ?? 0, ends[index] ?? 0, starts[index])
  const bytes = (index: number) => (ends[index] ?? 0) - (starts[index] ?? 0)
  return { kind, length: starts.length, bytes, parse }
}

type Path = readonly (string | number)[]

/** Thrown for a text that has something too large at the path. */
export class UnreadableJson extends Error {
  readonly path: Path
  constructor(message: string, path: Path) {
    super(message)
    this.path = path
  }
}

/** Thrown for a text that is not JSON: because of the value between these bytes, or of what is at the place. */
export class NotJson extends Error {
  readonly from: number
  readonly to: number
  constructor(from: number, to = from) {
    super('is not JSON')
    this.from = from
    this.to = to
  }
}

/** The largest depth of a value: beyond it, JSON.parse, JSON.stringify and shapes overflow their stack. */
const maxDepth = 64

/** The number of values that one item may hold: each takes time and memory, even if it is short. */
const maxValues = 100_000

/** The maximum number of spaces between two values: they are skipped without yielding. */
const maxSpaces = 1_048_576

/** The maximum number of bytes that the name of a field has. */
const maxKeyBytes = 4_096

const codeOf = (character: string) => character.charCodeAt(0)
const [quote, backslash, comma, colon] = ['"', '\\', ',', ':'].map(codeOf) as [number, number, number, number]
const opening: ReadonlySet<number> = new Set(['[', '{'].map(codeOf))
const closing: ReadonlySet<number> = new Set([']', '}'].map(codeOf))
const isSpace = (code: number | undefined) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Goes through bytes of JSON value by value. What is inside of a value is left to `JSON.parse`. */
class JsonScanner {
  at: number
  readonly #bytes: Uint8Array
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true })

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.at = startsWithMark(bytes) ? 3 : 0
  }

  /** Parses the value between two bytes; with its key, the object that has it alone. */
  parse(from: number, to: number, keyFrom = from): unknown {
    try {
      const text = this.#utf8.decode(this.#bytes.subarray(keyFrom, to))
      return JSON.parse(keyFrom < from ? `{${text}}` : text)
    } catch {
      throw new NotJson(from, to)
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
      if (isEnd()) throw new NotJson(this.at)
    }
    this.at += 1
  }

  readKey(path: Path): string {
    if (this.#bytes[this.at] !== quote) throw new NotJson(this.at)
    const key = this.readValue(maxKeyBytes, path) as string
    this.#expect(colon)
    return key
  }

  readValue(maxBytes: number, path: Path): unknown {
    this.#skipSpace()
    const start = this.at
    this.skipValue(maxBytes, path)
    return this.parse(start, this.at)
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
    if (this.at < this.#bytes.length) throw new NotJson(this.at)
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
    if (this.#bytes[this.at] !== code) throw new NotJson(this.at)
    this.at += 1
  }
}
