import type { Statements } from '../sql/queries.ts'
import type { Executor } from '../sql/statement.ts'

/** What the tables of one tenant work on for the length of one transaction. */
export interface SqlContext {
  readonly db: Executor
  readonly statements: Statements
  readonly tenant: string
}
