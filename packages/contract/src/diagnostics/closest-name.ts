/** The maximum length of a name that is compared, in characters. No wire name is nearly as long. */
const maxNameLength = 64

/**
 * Returns the known name that a misspelled one resembles: by the same words (`loanPurpose`, `Loan-Purpose`), by
 * singular and plural, by a few letters, or by some of its words (`amount` for `loan_amount`). Undefined if none
 * resembles it, or if two are equally similar.
 */
export function closest<Name extends string>(given: string, known: readonly Name[]): Name | undefined {
  if (given.length > maxNameLength) return undefined
  const words = wordsOf(given)
  const rated = known.map(name => ({ name, distance: distanceOf(words, wordsOf(name)) }))
  const least = Math.min(...rated.map(({ distance }) => distance))
  if (Number.isFinite(least)) return sole(rated.filter(({ distance }) => distance === least))?.name
  return sole(known.filter(name => isPartOf(words, wordsOf(name))))
}

/** Returns the only known name with all its words in a longer text: `terms` in `terms and conditions`. */
export function namedWithin<Name extends string>(given: string, known: readonly Name[]): Name | undefined {
  if (given.length > maxNameLength) return undefined
  const words = wordsOf(given)
  return sole(known.filter(name => isPartOf(wordsOf(name), words)))
}

/** Splits a name into words, whatever its spelling: camelCase, snake_case, with spaces, in capitals. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')
}

function singular(word: string): string {
  return word.length > 3 ? word.replace(/ies$/, 'y').replace(/s$/, '') : word
}

/** Returns the edit distance of two names, ignoring a plural. Infinity if it is too great for a misspelling. */
function distanceOf(given: readonly string[], known: readonly string[]): number {
  if (given.map(singular).join('') === known.map(singular).join('')) return 0
  const [a, b] = [given.join(''), known.join('')]
  const longest = Math.max(a.length, b.length)
  const tolerated = longest < 4 ? 0 : longest < 8 ? 1 : longest < 12 ? 2 : 3
  if (Math.abs(a.length - b.length) > tolerated) return Number.POSITIVE_INFINITY
  const distance = textDistance(a, b)
  return distance > tolerated ? Number.POSITIVE_INFINITY : distance
}

function isPartOf(part: readonly string[], whole: readonly string[]): boolean {
  const among = whole.map(singular)
  return part.some(word => word.length > 3) && part.every(word => among.includes(singular(word)))
}

function sole<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined
}

/** Returns the optimal string alignment distance of two texts. Quadratic, so only for short texts. */
export function textDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const changed = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current.push(
        Math.min(
          changed,
          at(last, column) + 1,
          at(current, column - 1) + 1,
          swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

const at = (row: readonly number[], column: number) => row[column] ?? Number.POSITIVE_INFINITY
