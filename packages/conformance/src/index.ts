/**
 * Run the conformance suite from your own program.
 * @module @lead-distribution/conformance
 */

export type { ConformanceCase, Need, Weight } from './case.ts'
export { cases } from './cases/index.ts'
export * from './create-target.ts'
export { type AccountDocument, type AdvertiserFacts, type Facts, factsOfAccount } from './facts.ts'
export { openPoints } from './probes/index.ts'
export type { CaseResult, ConformanceReport, Outcome } from './report.ts'
export { type RunOptions, runCases } from './run-cases.ts'
export { type StatementId, statements } from './statements.ts'
export type {
  CallbackAnswer,
  Callbacks,
  CallOptions,
  Changes,
  Finding,
  InterpretationOf,
  Point,
  ReceivedCallback,
  Target,
  TargetResponse,
} from './target.ts'
