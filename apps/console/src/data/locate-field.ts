/** A range of a text, as `setSelectionRange` takes it. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * The place of a field in a JSON text, by the path with which an error names it: `customer.contact`, `entries[1].type`.
 * A field that is not there gives the innermost object that should hold it; undefined where the text has none of it.
 */
export function locateField(json: string, path: string): TextRange | undefined {
  const wanted = path.replace(/\[(\d+)\]/g, '.$1').split('.')
  for (let length = wanted.length; length > 0; length--) {
    const found = findExactly(json, wanted.slice(0, length))
    if (found) return found
  }
  return undefined
}

function findExactly(json: string, wanted: readonly string[]): TextRange | undefined {
  /** For each open object or array: the name or the index that is read at the moment. */
  const open: { name: string | number }[] = []
  let text: { value: string; range: TextRange } | undefined
  for (const { 0: part, index } of json.matchAll(token)) {
    const range = { start: index, end: index + part.length }
    const inside = open.at(-1)
    const isElement = typeof inside?.name === 'number' && !/[\]}:,]/.test(part)
    if (isElement && matches(open, wanted)) return range
    if (part === '{') open.push({ name: '' })
    else if (part === '[') open.push({ name: 0 })
    else if (part === '}' || part === ']') open.pop()
    else if (part === ',' && typeof inside?.name === 'number') inside.name++
    else if (part === ':' && text && inside) {
      inside.name = text.value
      if (matches(open, wanted)) return text.range
    } else if (part.startsWith('"')) text = { value: part.slice(1, -1), range }
  }
  return undefined
}

function matches(open: readonly { name: string | number }[], wanted: readonly string[]): boolean {
  return open.length === wanted.length && open.every(({ name }, depth) => String(name) === wanted[depth])
}
