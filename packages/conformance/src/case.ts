import type { StatementId } from './statements.ts'
import type { InterpretationOf, Point, Target } from './target.ts'

/**
 * The meaning of a failure: a violation of the specification, or a different interpretation of an open point.
 * @category Testing
 */
export type Weight = 'specification' | 'interpretation'

/**
 * One thing that a service must do. Cases are independent and run in any order or at the same time.
 * @category Testing
 */
export interface ConformanceCase {
  /**
   * Permanent id in reports, as a sentence: `2.12/gives-each-lead-its-own-id`. Begins with the section, or with `open`.
   */
  readonly id: string
  /** Ids of the statements that the case covers. */
  readonly statements: readonly StatementId[]
  /** The facts that the case needs. It is skipped without them. */
  readonly needs: readonly Need[]
  /** The meaning of a failure. */
  readonly weight: Weight
  /**
   * Sends requests to the target and checks the responses.
   * @throws Error if the target behaves differently, or the case doesn't apply to it.
   */
  run(target: Target): Promise<void>
}

/** Sends the requests of a case and checks the responses. */
export type Run = (target: Target) => Promise<unknown>

/** The conditions that some cases have. */
interface Conditions {
  readonly needs: readonly Need[]
  /** The cases are skipped if the target's interpretation of this point is unknown. */
  readonly point?: Point
  /** Default: `interpretation` if the id starts with `open/`, otherwise `specification`. */
  readonly weight?: Weight
}

/** Creates cases for the same statements, by id. Cases that need callbacks run one at a time. */
export function casesOf(
  statements: readonly StatementId[],
  conditions: Conditions | readonly Need[],
  runs: Readonly<Record<string, Run>>,
): ConformanceCase[] {
  const { needs, point, weight }: Conditions = 'needs' in conditions ? conditions : { needs: conditions }
  return Object.entries(runs).map(([id, run]) => ({
    id,
    statements,
    needs,
    weight: weight ?? (id.startsWith('open/') ? 'interpretation' : 'specification'),
    async run(target) {
      // Resolved before waiting for the turn, because a probe may need the turn itself.
      if (point) await knownInterpretation(target, point)
      if (target.callbacks && needs.includes('callbacks')) await target.callbacks.inTurn(() => run(target))
      else await run(target)
    },
  }))
}

/** Creates a case from each entry of a table. The entry's name is part of the id. */
export function casesFrom<Value>(
  table: Readonly<Record<string, Value>>,
  toCase: (name: string, value: Value) => [id: string, run: Run],
): Record<string, Run> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => toCase(name, value)))
}

/** The target violates an expectation. */
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

/**
 * The needs of a case.
 * @category Testing
 */
export type Need = 'advertiser' | 'second_advertiser' | 'postback_secret' | 'account' | 'inactive_product' | 'callbacks'

/** For each need: the check that it is met, and the flag that provides it. */
const needs: Readonly<Record<Need, readonly [isMet: (target: Target) => boolean, given: string]>> = {
  advertiser: [
    ({ facts }) => facts.advertisers.length > 0,
    'an advertiser: pass --advertiser-key and --advertiser-id, or --account',
  ],
  second_advertiser: [({ facts }) => facts.advertisers.length > 1, 'two advertisers: pass --account'],
  postback_secret: [
    ({ facts }) => facts.advertisers[0]?.postback_secret !== undefined,
    "the advertiser's postback secret: pass --postback-secret, or --account",
  ],
  account: [({ facts }) => facts.account !== undefined, "the account's criteria: pass --account"],
  inactive_product: [
    ({ facts }) => facts.inactive_product_id !== undefined,
    'an inactive product: pass --inactive-product, or --account',
  ],
  callbacks: [
    ({ callbacks }) => callbacks !== undefined,
    "the publisher's callbacks: pass --callback-listen, and set the target's callback URL to that address",
  ],
}

/** Returns a sentence that names the first missing need and the flag that provides it, or undefined if all are met. */
export function missingNeed(wanted: readonly Need[], target: Target): string | undefined {
  const missing = wanted.find(need => !needs[need][0](target))
  return missing && `It needs ${needs[missing][1]}.`
}

/**
 * Returns the target's interpretation of a point.
 * @throws {Unclear} if it is unknown.
 */
export async function knownInterpretation<P extends Point>(target: Target, point: P): Promise<InterpretationOf[P]> {
  const { interpretation, known_by } = await target.finding(point)
  if (interpretation === undefined) throw new Unclear(known_by)
  return interpretation
}
