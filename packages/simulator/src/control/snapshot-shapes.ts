import {
  canonicalEvent,
  leadStatuses,
  maxBodyBytes,
  maxRefLength,
  proseInterpretation,
  rejectionReasons,
} from '@lead-distribution/contract'
import { emailAddress, leadSubmission, statusMetadata, uuid } from '@lead-distribution/contract/shapes'
import { durationMs } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import type { SeededIds } from '../random/seeded-random.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { earliestTime, latestDueTime, latestTime } from '../time/time-control.ts'
import type { accountContent } from './account.ts'
import type { callbackHold, callbackState, inboxMode } from './callbacks.ts'
import type { storedFaults } from './faults.ts'
import type { request } from './journal.ts'
import type { advertiserDecision, reportWay, trace } from './leads.ts'
import type { wholeNumber } from './operation-defaults.ts'
import type { newSnapshot } from './snapshots.ts'

/**
 * The shapes and bounds of the control plane that a file repeats. They are handed in: imported from here, which is loaded
 * on demand, they would be a file of their own in every page that holds the sandbox, and weigh more there.
 */
export interface SharedShapes {
  readonly newSnapshot: typeof newSnapshot
  readonly accountContent: typeof accountContent
  readonly trace: typeof trace
  readonly advertiserDecision: typeof advertiserDecision
  readonly reportWay: typeof reportWay
  readonly callbackState: typeof callbackState
  readonly callbackHold: typeof callbackHold
  readonly inboxMode: typeof inboxMode
  readonly storedFaults: typeof storedFaults
  readonly request: typeof request
  readonly wholeNumber: typeof wholeNumber
  readonly maxEntryBytes: number
  readonly mostInboxEntries: number
}

/** The format that a file begins with. */
export const snapshotFormat = 'lead-sandbox-snapshot/1'

/** The tenant that a file is sent to. */
export interface FileOwner {
  readonly record: TenantRecord
  readonly ids: Readonly<Record<'lead' | 'callback', Pick<SeededIds, 'includes'>>>
  /** Real time, milliseconds since 1970. */
  readonly now: number
  /** The records of all tenants. */
  readonly all: () => readonly TenantRecord[]
}

// What a snapshot holds as a file: records as they are stored, so that no storage shows in it. Times are milliseconds.

/** A stored time. Pending work falls due within the longest duration from the latest time of a clock. */
export const time = z.int().check(z.gte(earliestTime), z.lte(latestDueTime))
/** A time that a clock is set to, milliseconds since 1970. */
export const clockTime = z.int().check(z.gte(earliestTime), z.lte(latestTime))
const milliseconds = z.number().check(z.gte(0), z.lte(durationMs('P3650D')))
/** How often something happened. */
export const count = z.int().check(z.gte(0), z.lte(1_000_000_000))
/** As HTTP has it; 0 where there was none. */
const status = z.int().check(z.gte(0), z.lte(999))
/** A text with a longest length. */
export const text = (longest: number) => z.string().check(z.maxLength(longest))
/** A name that somebody chose, such as that of an event. */
const name = text(1_000)
/** A list with a longest length, which is checked before its items. */
export const list = <Item extends z.ZodMiniType>(item: Item, longest: number) =>
  z.array(item).check(z.maxLength(longest))
const lowerCase = z.refine<string>(text => text === text.toLowerCase(), 'must be in lower case')
/** An address as it is stored. */
export const email = emailAddress.check(z.maxLength(1_000), lowerCase)

/** How many events, and how many callbacks, a lead has at most; so many tries a callback has, too. */
const mostOfLead = 10_000

/** The shape of an event of a lead. */
export const eventShape = ({ reportWay }: SharedShapes) =>
  z
    .strictObject({
      advertiser_id: uuid,
      event: name,
      reported_as: name.check(z.minLength(1)),
      via: reportWay,
      ref: z.optional(text(maxRefLength)),
      metadata: z.optional(z.strictObject(statusMetadata.shape)),
      recorded_at: time,
    })
    .check(
      z.refine(({ event, reported_as }) => event === canonicalEvent(reported_as), {
        path: ['event'],
        message: 'must be the event that reported_as names',
      }),
    )

function attemptShape({ wholeNumber }: SharedShapes) {
  return z.strictObject({
    at: time,
    status: z.optional(status),
    error: z.optional(text(4_000)),
    ms: milliseconds,
    copies: z.optional(wholeNumber('duplicate')),
    fault_id: z.optional(text(20)),
  })
}

/** The shape of a callback of a lead, without its address. */
export function callbackShape(shapes: SharedShapes) {
  return z
    .strictObject({
      callback_id: uuid,
      event: name.check(z.minLength(1)),
      state: shapes.callbackState,
      attempts: list(attemptShape(shapes), mostOfLead),
      due_at: z.optional(time),
      resent_after: z.optional(z.int().check(z.gte(0), z.lte(mostOfLead))),
      held: z.optional(shapes.callbackHold),
    })
    .check(
      z.refine(({ state, due_at }) => (state === 'pending') === (due_at !== undefined), {
        path: ['due_at'],
        message: 'must be there for a callback that is pending, and for no other',
      }),
    )
}

/** The shape of a lead, its events and callbacks unchecked. */
export function leadShape(shapes: SharedShapes) {
  return z.strictObject({
    lead_id: uuid,
    product_id: uuid,
    email,
    status: z.enum(leadStatuses),
    rejection_reason: z.optional(z.enum(rejectionReasons)),
    received_at: time,
    submission: leadSubmission(proseInterpretation).check(
      // Its defaults, which are filled in, are less than the whitespace and names that are not.
      z.refine(lead => JSON.stringify(lead).length <= 2 * maxBodyBytes, `must be at most ${maxBodyBytes} bytes`),
    ),
    trace: shapes.trace.check(z.maxLength(50)),
    deliveries: list(
      z.strictObject({
        advertiser_id: uuid,
        name: text(100),
        decision: shapes.advertiserDecision,
        reasons: list(name, 20),
        backend: z.optional(z.omit(attemptShape(shapes), { copies: true, fault_id: true })),
      }),
      100,
    ),
    // Checked one by one.
    events: list(z.unknown(), mostOfLead),
    callbacks: list(z.unknown(), mostOfLead),
  })
}

/** An id that a tenant gives. */
export const ownId = (ids: Pick<SeededIds, 'includes'>) => uuid.check(z.refine(id => ids.includes(id), notOwn))
/** The issue of an id that it does not give. */
export const notOwn = 'is not an id that this tenant gives'

/** The shape of a call of the journal. */
export function requestShape({ request, trace }: SharedShapes) {
  const { near_misses, issues, warnings } = request.shape
  return z.extend(z.omit(request, { request_id: true }), {
    number: z.int().check(z.gte(1), z.lte(1_000_000_000_000)),
    at: time,
    method: text(20),
    path: name,
    status,
    ms: milliseconds,
    outcome: text(100),
    reason: z.optional(text(100)),
    event: z.optional(text(100)),
    check: z.optional(text(100)),
    trace: z.optional(trace.check(z.maxLength(50))),
    near_misses: z.optional(list(near_misses.def.innerType.def.element, 20)),
    issues: z.optional(list(issues.def.innerType.def.element, 20)),
    warnings: list(warnings.def.element, 50),
    fault_id: z.optional(text(20)),
  })
}
