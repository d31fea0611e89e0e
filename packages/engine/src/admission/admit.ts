import type { FieldIssue } from '@lead-distribution/contract'
import type { TraceStep } from '../lead-record.ts'
import { rules } from '../rules/index.ts'
import type { Facts, Rule } from '../rules/rule.ts'

/** The checks after the rules, in their order: the advertisers' answers, and the claim of the address. */
const closingChecks = ['distribution', 'claim']

/** The step of a body that has the shape of a lead. */
export const passedShape: TraceStep = { check: 'shape', verdict: 'passed' }

/** The step of a lead whose publisher is the key's own. */
export const passedPublisher: TraceStep = { check: 'publisher', verdict: 'passed' }

/** The step of a body that does not have the shape. */
export function rejectedShape(issues: readonly FieldIssue[]): TraceStep {
  const hint = issues.map(({ field, issue }) => `${field} ${issue}`).join('; ')
  return { check: 'shape', verdict: 'rejected', input: issues.map(({ field }) => field), hint }
}

/** The verdicts of rules on a lead. */
export interface Admission {
  /** The rule that refuses; undefined where none does. */
  readonly refusedBy?: Rule
  /** Each of the rules with its verdict; every check after a refusal is skipped. */
  readonly trace: TraceStep[]
}

/** Judges a lead by some of the rules in order, all of them by default. Changes nothing. */
export function admit(facts: Facts, by: readonly Rule[] = rules): Admission {
  const trace: TraceStep[] = []
  for (const rule of by) {
    const { passes, input, threshold, hint } = rule.judge(facts)
    const step: TraceStep = { check: rule.check, verdict: passes ? 'passed' : 'rejected' }
    if (input !== undefined) step.input = input
    if (threshold !== undefined) step.threshold = threshold
    trace.push(step)
    if (passes) continue
    if (hint !== undefined) step.hint = hint
    return { refusedBy: rule, trace: [...trace, ...skippedAfter(rule)] }
  }
  return { trace }
}

/** The steps that are not reached after a rule refuses; without a rule, those where no rule is judged at all. */
export function skippedAfter(rule?: Rule): TraceStep[] {
  const after = rules.slice(rule ? rules.indexOf(rule) + 1 : 0)
  return [...unjudged(after), ...closingChecks.map(skipped)]
}

/** The steps of rules that are not judged. */
export function unjudged(these: readonly Rule[]): TraceStep[] {
  return these.map(({ check }) => skipped(check))
}

function skipped(check: string): TraceStep {
  return { check, verdict: 'skipped' }
}
