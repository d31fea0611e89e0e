const orders = ['012', '210', '102', '201', '021', '120'].map(order => [...order].map(Number))

/**
 * Three ways in the order of a round. Every order has its turn: what one way leaves behind to collect meets the others
 * alike.
 */
export function inTurn<Way>(ways: readonly Way[], round: number): Way[] {
  return (orders.at(round % orders.length) ?? []).map(index => ways[index] as Way)
}
