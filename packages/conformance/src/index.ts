/**
 * The suite as a library.
 * @module @lead-distribution/conformance
 */

export type * from './callbacks.ts'
export { cases } from './cases/index.ts'
export type * from './conformance-case.ts'
export * from './create-target.ts'
export * from './facts.ts'
export type * from './interpretations/finding.ts'
export { openPoints } from './interpretations/index.ts'
export * from './mismatch.ts'
export type * from './report.ts'
export * from './run-cases.ts'
export type * from './send-request.ts'
export { type StatementId, statements } from './statements/index.ts'
export type * from './target.ts'
