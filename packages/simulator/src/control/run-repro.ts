/**
 * Runs repro files, in memory.
 * @module @lead-distribution/simulator/repro
 */

import { dateTimeMs, type FieldIssue } from '@lead-distribution/contract'
import { dateTime, fieldIssues, productCriteriaShape, uuid } from '@lead-distribution/contract/shapes'
import { scenarioWords } from '@lead-distribution/contract/test-leads'
import { settingsShape } from '@lead-distribution/engine'
import { jsonIssue } from '@lead-distribution/http'
import * as z from 'zod/mini'
import { blacklist, maxParties } from '../tenants/change-tenant.ts'
import { earliestTime, latestTime } from '../time/time-control.ts'
import { advertiserContent } from './account.ts'
import { boundsIssue } from './bounded-json.ts'
import { trace } from './leads.ts'
import { maxControlBodyBytes } from './operations.ts'
import { decideRepro, isSame, type ReproDecision, type ReproFile, reproFormat, reproSettings } from './repro-file.ts'

/** The largest repro file, bytes. */
export const maxReproBytes = maxControlBodyBytes

const time = dateTime.check(
  z.refine(text => dateTimeMs(text) >= earliestTime && dateTimeMs(text) <= latestTime, 'must be a time that exists'),
)

const object = z.record(z.string(), z.unknown())

const reproShape = z.strictObject({
  format: z.literal(reproFormat),
  now: time,
  settings: z.pick(settingsShape, reproSettings),
  product: z.optional(z.strictObject({ product_id: uuid, active: z.boolean(), criteria: productCriteriaShape })),
  advertisers: z.array(z.omit(advertiserContent, { backend_url: true })).check(z.maxLength(maxParties)),
  blacklist,
  customer: z.optional(z.strictObject({ has_lead: z.optional(z.literal(true)), refused_at: z.optional(time) })),
  scenario: z.optional(z.enum(scenarioWords)),
  submission: object,
  expected: z.strictObject({
    would: z.strictObject({ status: z.int(), body: object }),
    trace: trace.check(z.maxLength(100)),
  }),
}) satisfies z.ZodMiniType<ReproFile>

export type ReproRun =
  | {
      /** The fault of the file. Nothing was run. */
      readonly issues: readonly FieldIssue[]
    }
  | {
      readonly issues?: never
      readonly expected: ReproDecision
      readonly got: ReproDecision
      /** The first difference; undefined if the decision is the same. */
      readonly difference?: ReproDifference
    }

/** The first place where two decisions differ. */
export interface ReproDifference {
  /** The check, or `response` if all checks agree. */
  readonly at: string
  /** The part that the file expects; undefined if it expects no such check. */
  readonly expected?: unknown
  /** The part of the result; undefined if there is no such check. */
  readonly got?: unknown
}

/** Decides on the lead of a repro file again and compares. The file may be anything: it is checked first. */
export async function runRepro(bytes: Uint8Array): Promise<ReproRun> {
  const { file, issues } = await readRepro(bytes)
  if (!file) return { issues }
  const { expected } = file
  const got = await decideRepro(file)
  const difference = firstDifference(expected, got)
  return { expected, got, ...(difference && { difference }) }
}

type ReadRepro = { file: ReproFile; issues?: never } | { file?: never; issues: FieldIssue[] }

async function readRepro(bytes: Uint8Array): Promise<ReadRepro> {
  const wrong = (issue: string, field = 'file') => ({ issues: [{ field, issue }] })
  if (bytes.length > maxReproBytes) return wrong(`must be at most ${maxReproBytes} bytes`)
  const bound = boundsIssue(bytes)
  if (bound !== undefined) return wrong(bound)
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return wrong(jsonIssue(bytes))
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return wrong('must be an object')
  if (hasControlCharacter(json)) return wrong('must not contain control characters')
  const { data, error } = reproShape.safeParse(json)
  return data ? { file: data } : { issues: fieldIssues(error.issues, json) }
}

/** Returns true if a text of the file could change what a terminal shows. */
function hasControlCharacter(value: unknown): boolean {
  let found = false
  JSON.stringify(value, (name, each: unknown) => {
    found ||= /\p{Cc}/u.test(name) || (typeof each === 'string' && /\p{Cc}/u.test(each))
    return each
  })
  return found
}

function firstDifference(expected: ReproDecision, got: ReproDecision): ReproDifference | undefined {
  const steps = Math.max(expected.trace.length, got.trace.length)
  for (let index = 0; index < steps; index++) {
    const [one, other] = [expected.trace[index], got.trace[index]]
    if (!isSame(one, other)) return { at: (one ?? other)?.check ?? '', expected: one, got: other }
  }
  return isSame(expected.would, got.would) ? undefined : { at: 'response', expected: expected.would, got: got.would }
}
