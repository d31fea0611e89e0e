/**
 * The suite as a library.
 * @module @lead-distribution/conformance
 */

export type { CallbackAnswer, Callbacks, ReceivedCallback } from './callbacks.ts'
export { cases } from './cases/index.ts'
export type { ConformanceCase, Weight } from './conformance-case.ts'
export * from './create-target.ts'
export * from './facts.ts'
export type { Finding, InterpretationOf, Point } from './interpretations/finding.ts'
export { openPoints } from './interpretations/index.ts'
export * from './mismatch.ts'
export type { CaseResult, ConformanceReport, Counts, Outcome, ReportParts } from './report.ts'
export * from './run-cases.ts'
export type { Fetch } from './send-request.ts'
export { type StatementId, statements } from './statements/index.ts'
export type { CallOptions, Changes, Need, Target, TargetResponse } from './target.ts'
