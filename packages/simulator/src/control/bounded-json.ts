/** The maximum depth of a value: a deeper one overflows the stack of JSON.stringify and shapes. */
const maxDepth = 64

/** The maximum number of values in a text: each costs time and memory, even a short one. */
const maxValues = 100_000

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** Returns an issue if a JSON text is nested too deeply or holds too many values. Runs before parsing. */
export function boundsIssue(bytes: Uint8Array): string | undefined {
  let depth = 0
  let values = 1
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] as number
    if (isText) {
      if (code === backslash) at += 1
      else if (code === quote) isText = false
      continue
    }
    if (code === quote) isText = true
    else if (closing.has(code)) depth -= 1
    else if (opening.has(code)) {
      depth += 1
      values += 1
    } else if (code === comma) values += 1
    if (depth > maxDepth) return `must be at most ${maxDepth} levels deep`
    if (values > maxValues) return `must contain at most ${maxValues} values`
  }
  return undefined
}
