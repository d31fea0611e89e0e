/** Parses a JSON text. Returns undefined if it isn't JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Indents JSON. Returns text that isn't JSON, or is padded to a size, unchanged. */
export function indented(text: string): string {
  const value = parsedJson(text)
  return value === undefined || text.endsWith(' ') ? text : JSON.stringify(value, null, 2)
}

/**
 * Returns the JSON text with one field changed, creating missing objects. `undefined` removes the field. Text that isn't a
 * JSON object stays the same.
 */
export function writeField(body: string, path: string, value: unknown): string {
  const root = parsedJson(body)
  return isFields(root) ? JSON.stringify(withValueAt(root, path.split('.'), value), null, 2) : body
}

/** Returns the value at a path. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((at, name) => Object(at)[name], value)
}

/**
 * Replaces the value at a path in place, so that the JSON keeps its order, and creates missing objects. Undefined leaves the
 * field out.
 */
export function withValueAt(value: unknown, [name, ...below]: readonly string[], next: unknown): unknown {
  if (name === undefined) return next
  const own = withValueAt(Object(value)[name], below, next)
  if (Array.isArray(value)) return Object.assign([...value], { [name]: own })
  const fields = isFields(value) ? value : {}
  if (own !== undefined) return { ...fields, [name]: own }
  const { [name]: _left, ...others } = fields
  return others
}

/** Returns true if a value is an object with fields. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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

/**
 * Returns the offset in a browser's message: Chromium has a position, Firefox a line and column. Otherwise, returns the
 * end.
 */
function offsetOf(message: string, text: string): number {
  const position = /position (\d+)/.exec(message)
  if (position) return Number(position[1])
  const place = /line (\d+) column (\d+)/.exec(message)
  if (!place) return text.trimEnd().length
  const before = text.split('\n').slice(0, Number(place[1]) - 1)
  return before.reduce((sum, line) => sum + line.length + 1, 0) + Number(place[2]) - 1
}
