/** Which part of a list is wanted. */
export interface Page {
  readonly before?: string | undefined
  readonly limit: number
}

/**
 * The records of some ids that are wanted, newest first. By their ids, which grow, and not by the order of adding:
 * of two that came in at once, the later id may have been added first.
 */
export function newestFirst<Item>(
  ids: Iterable<string>,
  { before, limit }: Page,
  find: (id: string) => Item | undefined,
): Item[] {
  const found: Item[] = []
  for (const id of [...ids].sort().reverse()) {
    if (found.length >= limit) break
    const record = before === undefined || id < before ? find(id) : undefined
    if (record !== undefined) found.push(record)
  }
  return found
}
