/**
 * The suite as a library.
 * @module @lead-distribution/conformance
 */

export { cases } from './cases/index.ts'
export { type ConformanceCase, Mismatch, type Need, Unclear, type Weight } from './conformance-case.ts'
export * from './create-target.ts'
export { type AccountDocument, type AdvertiserFacts, type Facts, factsOfAccount } from './facts.ts'
export { openPoints } from './interpretations/index.ts'
export type { BaselineChange, CaseResult, ConformanceReport, Counts, Outcome, ReportParts } from './report.ts'
export { type RunOptions, runCase, runCases } from './run-cases.ts'
export { type StatementId, statements } from './statements/index.ts'
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
