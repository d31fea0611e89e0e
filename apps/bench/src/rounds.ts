/** The middle of the values; of an even number the upper one of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

const orders = ['012', '210', '102', '201', '021', '120'].map(order => [...order].map(Number))

/**
 * Three ways in the order of a round. Every order has its turn: what one way leaves behind to collect meets the others
 * alike.
 */
export function inTurn<Way>(ways: readonly Way[], round: number): Way[] {
  return (orders.at(round % orders.length) ?? []).map(index => ways[index] as Way)
}
