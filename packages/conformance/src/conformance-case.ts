import type { StatementId } from './statements/index.ts'
import type { Need, Target } from './target.ts'

/** What a deviation means: a breach of the specification, or another interpretation of what it leaves open. */
export type Weight = 'specification' | 'interpretation'

/**
 * One thing that a service must do, as its callers see it. Cases are independent: each has its own customers,
 * so that they run in any order, and side by side.
 */
export interface ConformanceCase {
  /** Names it for good in baselines and reports: `<section>/<name>`, such as `2.8/takes-the-least-amount`. */
  readonly id: string
  /** What the service does, in one sentence of the present tense. */
  readonly title: string
  /** The statements of the specification that it shows. */
  readonly statements: readonly StatementId[]
  /** What must be known of the target; without it the case is skipped. */
  readonly needs?: readonly Need[]
  /** What a deviation means; by default a breach of the specification. */
  readonly weight?: Weight
  /**
   * Asks the target, and looks at its answers.
   * @throws Mismatch the target does something else.
   * @throws Unclear the target gives no occasion to see it.
   * @throws Error no response comes, or a request would leave the host of the target.
   */
  run(target: Target): Promise<void>
}
