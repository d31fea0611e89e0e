import type { StatementId } from './statements/index.ts'
import type { Target } from './target.ts'

/** The meaning of a failure: a breach of the specification, or another interpretation of an open point. */
export type Weight = 'specification' | 'interpretation'

/** One thing that a service must do. Cases are independent and run in any order or at the same time. */
export interface ConformanceCase {
  /** Permanent name in baselines and reports: `<section>/<name>`, such as `2.8/takes-the-least-amount`. */
  readonly id: string
  /** One sentence in the present tense that says what the service does. */
  readonly title: string
  /** Ids of the statements that the case covers. */
  readonly statements: readonly StatementId[]
  /** Facts that the case needs. Without them it is skipped. */
  readonly needs?: readonly Need[]
  /** The meaning of a failure. Default: `interpretation` if the id starts with `open/`, otherwise `specification`. */
  readonly weight?: Weight
  /**
   * Sends requests to the target and checks the responses.
   * @throws Mismatch the target does something else.
   * @throws Unclear the case doesn't apply to the target.
   * @throws Error no response arrives, or a request would leave the host of the target.
   */
  run(target: Target): Promise<void>
}

/** Returns the meaning of a case's failure. */
export function weightOf({ id, weight }: ConformanceCase): Weight {
  return weight ?? (id.startsWith('open/') ? 'interpretation' : 'specification')
}

/** The target doesn't do what it must. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch'
  /** The expected behavior, as part of a sentence: `200 with status distributed`. */
  readonly expected: string
  /** The observed behavior. */
  readonly seen: string

  constructor(expected: string, seen: string) {
    super(`Expected ${expected}, but saw ${seen}.`)
    this.expected = expected
    this.seen = seen
  }
}

/** The target can't be checked. The message is the reason for skipping the case. */
export class Unclear extends Error {
  override readonly name = 'Unclear'
}

/** The needs that a case may have. */
export type Need =
  | 'advertiser'
  | 'second_advertiser'
  | 'postback_secret'
  | 'second_postback_secret'
  | 'account'
  | 'inactive_product'
  | 'callbacks'

/** For each need: the check that it is met, and the flag that helps. */
const needs: Readonly<Record<Need, { isMet(target: Target): boolean; readonly given: string }>> = {
  advertiser: {
    isMet: ({ facts }) => facts.advertisers.length > 0,
    given: 'an advertiser: pass --advertiser-key and --advertiser-id, or --account',
  },
  second_advertiser: {
    isMet: ({ facts }) => facts.advertisers.length > 1,
    given: 'two advertisers: pass --account',
  },
  postback_secret: {
    isMet: ({ facts }) => facts.advertisers[0]?.postback_secret !== undefined,
    given: "the advertiser's postback secret: pass --postback-secret, or --account",
  },
  second_postback_secret: {
    isMet: ({ facts }) => facts.advertisers[1]?.postback_secret !== undefined,
    given: 'the postback secrets of two advertisers: pass --account',
  },
  account: {
    isMet: ({ facts }) => facts.account !== undefined,
    given: "the account's criteria: pass --account",
  },
  inactive_product: {
    isMet: ({ facts }) => facts.inactive_product_id !== undefined,
    given: 'an inactive product: pass --inactive-product, or --account',
  },
  callbacks: {
    isMet: ({ callbacks }) => callbacks !== undefined,
    given: "the publisher's callbacks: pass --callback-listen, and set the target's callback URL to that address",
  },
}

/** Returns a sentence that names the first missing need and the flag that helps, or undefined if all are met. */
export function missingNeed(wanted: readonly Need[], target: Target): string | undefined {
  const missing = wanted.find(need => !needs[need].isMet(target))
  return missing && `It needs ${needs[missing].given}.`
}

/** Adds needs to cases that share them. */
export function needing(shared: readonly Need[], cases: readonly ConformanceCase[]): ConformanceCase[] {
  return cases.map(each => ({ ...each, needs: [...shared, ...(each.needs ?? [])] }))
}
