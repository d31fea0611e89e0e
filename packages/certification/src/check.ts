import { setTimeout as wait } from 'node:timers/promises'
import type { Settings } from '@lead-distribution/contract'

/** A profile: one interpretation of the specification's open points. */
export type ProfileName = Settings['profile']

/** The outcome of a check. `not_seen`: the check had nothing to look at. */
export type Verdict = 'passed' | 'failed' | 'not_seen'

export interface Finding {
  readonly verdict: Verdict
  /** The observation, or if there was none, the reason and the flag that would help. A full sentence. */
  readonly seen: string
  /** A problem that does not fail the check, as a full sentence. */
  readonly warning?: string
}

export const passed = (seen: string): Finding => ({ verdict: 'passed', seen })
export const failed = (seen: string): Finding => ({ verdict: 'failed', seen })
/** Creates the finding of a check that had nothing to look at. The sentence names the flag that would help. */
export const notSeen = (seen: string): Finding => ({ verdict: 'not_seen', seen })

/** A problem as a sentence, or nothing. */
export type Problem = string | undefined | false

/** Fails with the first problem, else passes with the observation. */
export function judge(seen: string, ...problems: readonly Problem[]): Finding {
  const problem = problems.find(each => each)
  return problem ? failed(problem) : passed(seen)
}

/** One pass over the checks under one profile. `Need` is the type of the inputs that checks may need. */
export interface RoundOf<Need extends string> {
  /** Returns a sentence that says what to do if the input is missing; otherwise undefined. */
  missing(need: Need): string | undefined | Promise<string | undefined>
}

/** A requirement for an application, and how to check it. */
export interface Check<Round, Need extends string> {
  /** Group and name, such as `redirect.new`. Stable across versions, so that reports can be compared. */
  readonly id: string
  /** The section of the specification, such as `4.1`, or `open point 8` for our interpretation where it is silent. */
  readonly spec: string
  /** The expectation, as a full sentence. */
  readonly expected: string
  /** The fix for an application that fails the check, in full sentences. */
  readonly fix: string
  /** `first` if the result is the same under every profile: runs only in the first round. Default: `each`. */
  readonly rounds?: 'each' | 'first'
  /** The required inputs, in the order to ask for them. If one is missing, the check is not seen. */
  readonly needs?: readonly Need[]
  readonly run: (round: Round) => Finding | Promise<Finding>
}

/** The result of a check. */
export interface CheckResult extends Finding, Pick<Check<never, never>, 'id' | 'spec' | 'expected' | 'fix'> {
  readonly profile: ProfileName
  readonly seconds: number
}

/** Formats a count: `1 request`, `3 times`. */
export function count(number: number, thing: string): string {
  return `${number} ${number === 1 ? thing : `${thing.replace(/y$/, 'ie')}s`}`
}

/** Formats milliseconds as seconds: `0.3 s`. */
export const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`

/** Milliseconds. Not shorter, because `read` may run one of the application's commands. */
const stepMs = 50

/** Polls until a value satisfies the predicate, or for `ms` milliseconds; returns the last value. */
export async function poll<Value>(
  read: () => Value | Promise<Value>,
  satisfies: (value: Value) => boolean,
  ms: number,
): Promise<Value> {
  const end = performance.now() + ms
  while (true) {
    const value = await read()
    if (satisfies(value) || performance.now() >= end) return value
    await wait(stepMs)
  }
}

/** Waits until a condition holds, or for `ms` milliseconds; returns true if it holds. */
export const until = (holds: () => boolean, ms: number): Promise<boolean> => poll(holds, Boolean, ms)

/** Parses a JSON object; returns undefined for anything else. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
