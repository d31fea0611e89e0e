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

/** Returns the value of a field in a parsed JSON text, or undefined if it is missing. */
export function fieldOf(json: unknown, path: string): unknown {
  let value = json
  for (const name of path.split('.')) value = Object(value)[name]
  return value
}

/**
 * Returns the JSON text with one field changed, creating missing objects. `undefined` removes the field. Text that isn't a
 * JSON object stays the same.
 */
export function writeField(body: string, path: string, value: unknown): string {
  const root = parsedJson(body)
  if (typeof root !== 'object' || root === null) return body
  const names = path.split('.')
  const last = names.pop() ?? ''
  let holder = root as Record<string, unknown>
  for (const name of names) {
    const inner = holder[name]
    const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {}
    holder[name] = next
    holder = next
  }
  holder[last] = value
  return JSON.stringify(root, null, 2)
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
