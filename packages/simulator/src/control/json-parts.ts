import { nextTurn } from '../time/next-turn.ts'
import { JsonScanner, parseJson, UnreadableJson } from './json-scanner.ts'

/** How a field of a large JSON object is bounded. */
export interface PartBounds {
  /** How many items or members its value has at most. */
  readonly items: number
  /** How many bytes each of them has at most. */
  readonly itemBytes: number
}

/** A field whose value is a list or an object, its items or members not yet parsed. */
export interface Part {
  readonly kind: 'list' | 'object'
  /** How many items or members there are. */
  readonly length: number
  /** How large one is. */
  bytes(index: number): number
  /** Parses one: an item of a list, or an object with one member. */
  parse(index: number): unknown
}

/** A JSON object whose large fields are in parts, and the values of all others. */
export interface JsonParts {
  readonly parts: ReadonlyMap<string, Part>
  readonly values: Readonly<Record<string, unknown>>
}

/** How many bytes a value has at most that is not in parts. */
const maxValueBytes = 1_048_576

/** How many fields the object has at most. */
const maxFields = 100

/** How many bytes are looked at before other work has its turn. */
const turnBytes = 131_072

/**
 * Reads a large JSON object, as `JSON.parse` would, without parsing it at once: that takes a second where 16 MiB are
 * hostile, and stops everything else. Bounds are checked before anything is parsed. Undefined where it is no object.
 * @throws UnreadableJson
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
  const ends: number[] = []
  let turnAt = scanner.at + turnBytes
  for (const _ of scanner.members(kind === 'list' ? ']' : '}')) {
    if (starts.length === items) throw new UnreadableJson(`must hold at most ${items} items`, [name])
    const start = scanner.at
    const path = [name, kind === 'list' ? starts.length : scanner.readKey([name])]
    scanner.skipValue(itemBytes, path)
    starts.push(start)
    ends.push(scanner.at)
    if (scanner.at < turnAt) continue
    await nextTurn()
    turnAt = scanner.at + turnBytes
  }
  const parse = (index: number) => {
    const text = scanner.text(starts[index] ?? 0, ends[index] ?? 0)
    return parseJson(kind === 'list' ? text : `{${text}}`)
  }
  const bytes = (index: number) => (ends[index] ?? 0) - (starts[index] ?? 0)
  return { kind, length: starts.length, bytes, parse }
}
