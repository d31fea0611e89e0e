/** The target does something else than it must. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch'
  /** What it must do, as a part of a sentence: `200 with status distributed`. */
  readonly expected: string
  /** What it did. */
  readonly seen: string

  constructor(expected: string, seen: string) {
    super(`Expected ${expected}, but saw ${seen}.`)
    this.expected = expected
    this.seen = seen
  }
}

/** The target gives no occasion to see whether it does what it must: the case is skipped, for this reason. */
export class Unclear extends Error {
  override readonly name = 'Unclear'
}
