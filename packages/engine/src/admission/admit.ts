import type { FieldIssue } from '@lead-distribution/contract'
import { rules } from '../rules/index.ts'
import type { Facts, Rule } from '../rules/rule.ts'
import type { TraceStep } from '../trace.ts'

/** The checks after the rules, in their order: who takes the lead, and who has the address. */
const closingChecks = ['distribution', 'claim']

/** The step of a body that has the shape of a lead. */
export const passedShape: TraceStep = { check: 'shape', verdict: 'passed' }

/** The step of a lead whose publisher is the key's own. */
export const passedPublisher: TraceStep = { check: 'publisher', verdict: 'passed' }

/** The step of a body that has not. */
export function rejectedShape(issues: readonly FieldIssue[]): TraceStep {
  const hint = issues.map(({ field, issue }) => `${field} ${issue}`).join('; ')
  return { check: 'shape', verdict: 'rejected', input: issues.map(({ field }) => field), hint }
}

/** What rules say to a lead. */
export interface Admission {
  /** The rule that refuses; undefined where none does. */
  readonly refusedBy?: Rule
  /** Each of the rules with its verdict; all that is behind a refusal is skipped. */
  readonly trace: TraceStep[]
}

/** Judges a lead by some of the rules in order, all of them by default. Decides nothing else and changes nothing. */
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
    return { refusedBy: rule, trace: [...trace, ...skippedBehind(rule)] }
  }
  return { trace }
}

/** The steps that are not reached where a rule refuses; without a rule, where none is judged at all. */
export function skippedBehind(rule?: Rule): TraceStep[] {
  const behind = rules.slice(rule ? rules.indexOf(rule) + 1 : 0)
  return [...unjudged(behind), ...closingChecks.map(skipped)]
}

/** The steps of rules that are not judged. */
export function unjudged(these: readonly Rule[]): TraceStep[] {
  return these.map(({ check }) => skipped(check))
}

function skipped(check: string): TraceStep {
  return { check, verdict: 'skipped' }
}
