import type { Need, Target } from './target.ts'

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

/** Of each need: whether the target meets it, and what gives it. */
const needs: Readonly<Record<Need, { isMet(target: Target): boolean; given: string }>> = {
  advertiser: {
    isMet: ({ facts }) => facts.advertisers.length > 0,
    given: 'an advertiser: give --advertiser-key and --advertiser-id, or --account',
  },
  second_advertiser: {
    isMet: ({ facts }) => facts.advertisers.length > 1,
    given: 'two advertisers: give --account',
  },
  postback_secret: {
    isMet: ({ facts }) => facts.advertisers[0]?.postback_secret !== undefined,
    given: "the advertiser's secret: give --postback-secret, or --account",
  },
  second_postback_secret: {
    isMet: ({ facts }) => facts.advertisers[1]?.postback_secret !== undefined,
    given: 'the secrets of two advertisers: give --account',
  },
  account: {
    isMet: ({ facts }) => facts.account !== undefined,
    given: 'the criteria that leads are judged by: give --account',
  },
  inactive_product: {
    isMet: ({ facts }) => facts.inactive_product_id !== undefined,
    given: 'a product that takes no leads: give --inactive-product, or --account',
  },
  callbacks: {
    isMet: ({ callbacks }) => callbacks !== undefined,
    given: "the publisher's callbacks: give --callback-listen, with the target's callback URL set to it",
  },
}

/** What a case lacks, as a sentence that says which flag gives it; undefined where it lacks nothing. */
export function missingNeed(wanted: readonly Need[], target: Target): string | undefined {
  const lacking = wanted.find(need => !needs[need].isMet(target))
  return lacking && `It needs ${needs[lacking].given}.`
}
