/** A name or a value in a JSON text, with its path: `consents`, `entries`, `1`, `type`. */
export interface JsonPlace {
  readonly kind: 'name' | 'value'
  readonly path: readonly string[]
  readonly start: number
  readonly end: number
}

/** A string, which may be unfinished at the end of its line, a mark, or a word such as a number. */
const token = /"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g

/** An object or a list that isn't closed yet, and what comes next in it. */
interface Open {
  readonly isList: boolean
  /** The current name or index. */
  name: string
  next: 'name' | 'colon' | 'value' | 'comma'
}

/**
 * Lists the names and values in a JSON text, in their order. Text that is incomplete or wrong is read as far as it makes
 * sense. An object or a list is a place of one character, at its start.
 */
function placesOf(json: string): { readonly places: readonly JsonPlace[]; readonly open: readonly Open[] } {
  const places: JsonPlace[] = []
  const open: Open[] = [{ isList: false, name: '', next: 'value' }]
  for (const { 0: part, index } of json.matchAll(token)) {
    const inside = open.at(-1)
    if (!inside) break
    if (/^[}\],:]$/.test(part)) {
      if (part === ',' || part === ':') goOn(inside, part)
      else if (open.length > 1) open.pop()
      continue
    }
    // Also where a colon or a comma is missing before it: the text is being written.
    const isName = !inside.isList && open.length > 1 && inside.next !== 'value' && part.startsWith('"')
    if (isName) inside.name = part.replace(/^"|"$/g, '')
    places.push({ kind: isName ? 'name' : 'value', path: pathOf(open), start: index, end: index + part.length })
    inside.next = isName ? 'colon' : 'comma'
    if (part === '{') open.push({ isList: false, name: '', next: 'name' })
    if (part === '[') open.push({ isList: true, name: '0', next: 'value' })
  }
  return { places, open }
}

function goOn(inside: Open, mark: ',' | ':'): void {
  if (mark === ',' && inside.isList) inside.name = String(Number(inside.name) + 1)
  inside.next = mark === ',' && !inside.isList ? 'name' : 'value'
}

/** The path of the current name; the document itself has none. */
function pathOf(open: readonly Open[]): readonly string[] {
  return open.slice(1).map(({ name }) => name)
}

/**
 * Locates a field in a JSON text by its path in an error: `customer.contact`, `entries[1].type`. For a missing field,
 * returns the innermost object around it, or undefined if there is none.
 */
export function locateField(json: string, path: string): JsonPlace | undefined {
  const wanted = path.replace(/\[(\d+)\]/g, '.$1').split('.')
  const { places } = placesOf(json)
  for (let length = wanted.length; length > 0; length--) {
    const prefix = wanted.slice(0, length).join('.')
    const found = places.find(place => place.path.join('.') === prefix)
    if (found) return found
  }
  return undefined
}

/** Returns the name or value at an offset of a JSON text. */
export function placeAt(json: string, offset: number): JsonPlace | undefined {
  return placesOf(json).places.find(({ start, end }) => start <= offset && offset <= end)
}

/** Values that typing after them doesn't continue: a string with both quotes, or the start of an object or a list. */
const finished = /^(?:[{[]|"(?:[^"\\]|\\.)*")$/

/** A place at the cursor, whose text can be replaced. The path of a name is that of its object. */
export interface Cursor extends JsonPlace {
  /** The names that the object already has. */
  readonly siblings: readonly string[]
}

/** Returns what can be written at an offset of a JSON text. Undefined where only a comma or a colon fits. */
export function cursorAt(json: string, offset: number): Cursor | undefined {
  const all = placesOf(json).places
  const current = all.find(({ start, end }) => start < offset && offset <= end)
  const isInside = current && (offset < current.end || !finished.test(json.slice(current.start, current.end)))
  const start = isInside ? current.start : offset
  const { open } = placesOf(json.slice(0, start))
  const inside = open.at(-1)
  if (!inside || (inside.next !== 'name' && inside.next !== 'value')) return undefined
  const path = inside.next === 'name' ? pathOf(open.slice(0, -1)) : pathOf(open)
  const siblings = all.flatMap(place =>
    place.kind === 'name' && place.start !== start && place.path.slice(0, -1).join('.') === path.join('.')
      ? place.path.slice(-1)
      : [],
  )
  return { kind: inside.next, path, start, end: isInside ? current.end : offset, siblings }
}

/** Returns the syntax error of a text. Undefined if the text is JSON. */
export function syntaxErrorOf(text: string): { readonly offset: number; readonly issue: string } | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const { message } = error as Error
    return { offset: offsetOf(message, text), issue: `This isn't valid JSON: ${message}` }
  }
}

/** The offset that a browser's message names: Chromium by its position, Firefox by line and column. The end otherwise. */
function offsetOf(message: string, text: string): number {
  const position = /position (\d+)/.exec(message)
  if (position) return Number(position[1])
  const place = /line (\d+) column (\d+)/.exec(message)
  if (!place) return text.trimEnd().length
  const before = text.split('\n').slice(0, Number(place[1]) - 1)
  return before.reduce((sum, line) => sum + line.length + 1, 0) + Number(place[2]) - 1
}
