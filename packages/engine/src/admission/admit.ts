import type { FieldIssue } from '@lead-distribution/contract'
import { rules } from '../rules/index.ts'
import type { Facts, Rule } from '../rules/rule.ts'
import type { TraceStep } from '../trace.ts'

/** The checks after the rules, in their order: who takes the lead, and who has the address. */
const closingChecks = ['distribution', 'claim']

/** The step of a body that has the shape of a lead. */
export const passedShape: TraceStep = { check: 'shape', verdict: 'passed' }

/** The step of a body that has not. */
export function rejectedShape(issues: readonly FieldIssue[]): TraceStep {
  const hint = issues.map(({ field, issue }) => `${field} ${issue}`).join('; ')
  return { check: 'shape', verdict: 'rejected', input: issues.map(({ field }) => field), hint }
}

/** What the rules say to a lead. */
export interface Admission {
  /** The rule that refuses; undefined where none does. */
  readonly refusedBy?: Rule
  /** Every rule with its verdict; those behind a refusal are skipped. */
  readonly trace: TraceStep[]
}

/** Judges a lead by every rule in order. Decides nothing else and changes nothing. */
export function admit(facts: Facts): Admission {
  const trace: TraceStep[] = [passedShape, { check: 'publisher', verdict: 'passed' }]
  for (const rule of rules) {
    const { passes, input, threshold, hint } = rule.judge(facts)
    const step: TraceStep = { check: rule.check, verdict: passes ? 'passed' : 'rejected' }
    if (input !== undefined) step.input = input
    if (threshold !== undefined) step.threshold = threshold
    trace.push(step)
    if (passes) continue
    if (hint !== undefined) step.hint = hint
    return { refusedBy: rule, trace: [...trace, ...skippedBehind(rule)] }
  }
  return { trace }
}

/** The steps that are not reached where a rule refuses; without a rule, where none is judged at all. */
export function skippedBehind(rule?: Rule): TraceStep[] {
  const behind = rules.slice(rule ? rules.indexOf(rule) + 1 : 0).map(({ check }) => check)
  return [...behind, ...closingChecks].map(check => ({ check, verdict: 'skipped' }))
}
