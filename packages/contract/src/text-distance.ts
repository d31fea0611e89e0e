/**
 * How many letters must be added, left out, changed or swapped with their neighbour to make one text of the other
 * (optimal string alignment). Its time grows with the product of both lengths: give it short texts.
 */
export function textDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const changed = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
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
