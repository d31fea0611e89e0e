/** The actual value of each shown value while a guide runs. An id that is shown twice must appear twice. */
export class Names {
  readonly #actualOf = new Map<string, string>()
  readonly #shownFor = new Map<string, string>()

  /** Returns true if the shown text can stand for the actual text, given the earlier comparisons. */
  agree(shown: string, actual: string): boolean {
    const known = this.#actualOf.get(shown)
    if (known !== undefined || this.#shownFor.has(actual)) return known === actual
    this.#actualOf.set(shown, actual)
    this.#shownFor.set(actual, shown)
    return true
  }
}

/** Compares a guide's shown output with the actual one. */
export interface Comparison {
  readonly names: Names
  /** Times are compared by value. */
  readonly exactTimes: boolean
}

/** The forms of values that differ from run to run. */
const forms = {
  /** An id, a token, a key: the value may differ, but stays the same within a guide. Those of the demo account are fixed. */
  name: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{64}|sandbox_(?:pub|adv)_[0-9a-f]+_[0-9a-f]{32}',
  time: '\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z?',
  took: '\\d+(?:\\.\\d+)? ?ms\\b',
} as const

const wildcards = new RegExp(`(?<name>${forms.name})|(?<time>${forms.time})|(?<took>${forms.took})|(?<rest>…)`, 'g')
const fixedId = /^[0-3]0000000-0000-[04]000-[08]000-\d{12}$/

/**
 * Returns true if a text equals the shown one, except for values that differ from run to run, and `…`, which matches
 * anything in its line, and by itself in a line any lines.
 */
function isText(shown: string, actual: string, { names, exactTimes }: Comparison): boolean {
  const shownNames: string[] = []
  const pattern = shown
    .split(/\n/)
    .map(line => patternOf(line, exactTimes, shownNames))
    .join('')
  const found = new RegExp(`^${pattern}$`).exec(`${actual}\n`)?.slice(1)
  return found?.every((name, place) => names.agree(shownNames[place] ?? '', name)) ?? false
}

/** Returns the pattern of one or more lines, and adds the names in it to the list. */
function patternOf(line: string, exactTimes: boolean, shownNames: string[]): string {
  if (line === '…') return '(?:.*\\n)*'
  let pattern = ''
  let from = 0
  for (const match of line.matchAll(wildcards)) {
    const [text] = match
    const { name, time, took } = match.groups ?? {}
    pattern += literal(line.slice(from, match.index))
    from = match.index + text.length
    if ((time && exactTimes) || (name && fixedId.test(name))) pattern += literal(text)
    else if (name) {
      shownNames.push(name)
      pattern += `(${forms.name})`
    } else if (time) pattern += forms.time
    else pattern += took ? forms.took : '.*?'
  }
  return `${pattern}${literal(line.slice(from))}\n`
}

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Matches the rest: of a line, of a list, or, as a field, of an object. */
const rest = '…'

/** Returns true if a command printed what a guide shows, ignoring JSON indentation and table widths. */
export function isOutput(format: 'json' | 'text', shown: string, actual: string, comparison: Comparison): boolean {
  if (format === 'text') return isText(withoutLayout(shown), withoutLayout(actual), comparison)
  const came = readJson(actual)
  return came !== undefined && isValue(JSON.parse(shown), came, comparison)
}

function isValue(shown: unknown, came: unknown, comparison: Comparison, field?: string): boolean {
  if (typeof shown === 'string') return typeof came === 'string' && isText(shown, came, comparison)
  // Durations differ from run to run.
  if (field === 'ms') return typeof shown === 'number' && typeof came === 'number'
  if (typeof shown !== 'object' || shown === null) return shown === came
  if (Array.isArray(shown)) return Array.isArray(came) && isList(shown, came, comparison)
  return typeof came === 'object' && came !== null && !Array.isArray(came) && isObject(shown, came, comparison)
}

function isList(shown: unknown[], came: unknown[], comparison: Comparison): boolean {
  const listed = shown.at(-1) === rest ? shown.slice(0, -1) : shown
  return (
    (listed.length === came.length || (listed.length < shown.length && listed.length <= came.length)) &&
    listed.every((value, place) => isValue(value, came[place], comparison))
  )
}

function isObject(shown: object, came: object, comparison: Comparison): boolean {
  const fields = Object.entries(shown).filter(([field]) => field !== rest)
  const all = rest in shown || fields.length === Object.keys(came).length
  return (
    all && fields.every(([field, value]) => isValue(value, (came as Record<string, unknown>)[field], comparison, field))
  )
}

/** Returns the JSON in a text, or undefined. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns a text with single spaces and without table rules. */
function withoutLayout(text: string): string {
  const lines = text.split('\n').map(line => line.replace(/[\s\u2500-\u257f]+/g, ' ').trim())
  return lines.filter(line => line !== '').join('\n')
}
