import { leadStatuses, rejectionReasons, validationError } from '@lead-distribution/contract'
import { checkInput, dateTime, fieldIssues, uuid } from '@lead-distribution/contract/shapes'
import type { Refusal } from '@lead-distribution/http'
import * as z from 'zod/mini'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { SnapshotContent } from '../tenants/snapshot-content.ts'
import type { tenantSettings } from '../tenants/tenant-account.ts'
import type { account } from './account.ts'
import type { callbackHold, callbackState, inboxMode } from './callbacks.ts'
import type { fault } from './faults.ts'
import type { request } from './journal.ts'
import type { advertiserDecision, reportWay, trace } from './leads.ts'
import type { newSnapshot } from './snapshots.ts'

/**
 * The shapes of the control plane that a file repeats. They are handed in: imported from here, which is loaded on demand,
 * they would be a file of their own in every page that holds the sandbox, and weigh more there.
 */
interface SharedShapes {
  readonly newSnapshot: typeof newSnapshot
  readonly account: typeof account
  readonly tenantSettings: typeof tenantSettings
  readonly trace: typeof trace
  readonly advertiserDecision: typeof advertiserDecision
  readonly reportWay: typeof reportWay
  readonly callbackState: typeof callbackState
  readonly callbackHold: typeof callbackHold
  readonly inboxMode: typeof inboxMode
  readonly fault: typeof fault
  readonly request: typeof request
}

// What a snapshot holds as a file: records as they are stored, so that no storage shows in it. Times are milliseconds.

const time = z.int()
const text = z.string()

const attempt = z.strictObject({
  ...{ at: time, status: z.optional(z.int()), error: z.optional(text), ms: z.number() },
  ...{ copies: z.optional(z.int()), fault_id: z.optional(text) },
})

const eventShape = ({ reportWay }: SharedShapes) =>
  z.strictObject({
    ...{ advertiser_id: uuid, event: text, reported_as: text, via: reportWay, ref: z.optional(text) },
    metadata: z.optional(z.record(text, z.number())),
    recorded_at: time,
  })

const callbackShape = ({ callbackState, callbackHold }: SharedShapes) =>
  z.strictObject({
    ...{ callback_id: uuid, event: text, url: text, state: callbackState },
    attempts: z.array(attempt),
    due_at: z.optional(time),
    ...{ resent_after: z.optional(z.int()), held: z.optional(callbackHold) },
  })

const clock = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('running'), ahead_ms: z.number() }),
  z.strictObject({ mode: z.literal('frozen'), now: time }),
])

const newest = z.strictObject({ lead_id: z.optional(uuid), callback_id: z.optional(uuid) })

function tenantShape({ account, tenantSettings }: SharedShapes) {
  const settings = z.partial(tenantSettings)
  return z.strictObject({
    tenant: text,
    seed: text,
    created_at: time,
    publisher: z.strictObject({
      publisher_id: uuid,
      api_key: text,
      callback_url: z.optional(text),
      callback_secret: text,
    }),
    ...{ advertisers: account.shape.advertisers, products: account.shape.products, blacklist: account.shape.blacklist },
    settings,
    callbacks_held: z.optional(z.boolean()),
    made: z.optional(z.strictObject({ settings, callback_url: z.optional(text), frozen_at: z.optional(time) })),
  })
}

const leadShape = (shapes: SharedShapes) =>
  z.strictObject({
    ...{ lead_id: uuid, product_id: uuid, email: text, status: z.enum(leadStatuses), received_at: time },
    trace: shapes.trace,
    rejection_reason: z.optional(z.enum(rejectionReasons)),
    submission: z.record(text, z.unknown()),
    deliveries: z.array(
      z.strictObject({
        ...{ advertiser_id: uuid, name: text, decision: shapes.advertiserDecision, reasons: z.array(text) },
        ...{ redirect_url: z.optional(text), backend: z.optional(attempt) },
      }),
    ),
    events: z.array(eventShape(shapes)),
    callbacks: z.array(callbackShape(shapes)),
  })

const documentsShape = ({ inboxMode, fault }: SharedShapes) =>
  z.strictObject({
    clock: z.optional(clock),
    faults: z.optional(z.strictObject({ set: z.int(), faults: z.array(fault) })),
    inbox: z.optional(inboxMode),
    coverage: z.optional(z.record(text, z.int())),
    ages: z.optional(z.array(z.strictObject({ at: time, newest, newestRequest: z.int() }))),
  })

/** What a file begins with. */
export const snapshotFormat = 'lead-sandbox-snapshot/1'

/** A snapshot as a file. */
const fileShape = (shapes: SharedShapes) =>
  z.strictObject({
    format: z.literal(snapshotFormat),
    saved_at: dateTime,
    tenant: tenantShape(shapes),
    customers: z.array(
      z.strictObject({ ...{ product_id: uuid, email: text }, lead_id: z.optional(uuid), refused_at: z.optional(time) }),
    ),
    leads: z.array(leadShape(shapes)),
    reports: z.array(
      z.strictObject({ report_id: text, lead_id: uuid, advertiser_id: uuid, event: text, due_at: time }),
    ),
    chains: z.record(text, z.int()),
    inbox: z.array(
      z.strictObject({
        ...{ received_at: time, lead_id: text, event: text, target: text, headers: z.record(text, text) },
        status: z.int(),
      }),
    ),
    requests: z.array(
      z.extend(z.omit(shapes.request, { request_id: true }), { number: z.int().check(z.gte(1)), at: time }),
    ),
    documents: documentsShape(shapes),
  })

/** A file that was read. */
interface SnapshotFile extends SnapshotContent {
  saved_at: string
  tenant: TenantRecord
}

/** A file that was sent to a tenant, its record as the tenant would have it; or why it is refused. */
export function readSnapshotFile(
  shapes: SharedShapes,
  name: string,
  input: unknown,
  own: TenantRecord,
): { file: SnapshotFile; refused?: never } | { file?: never; refused: Refusal } {
  const named = checkInput(shapes.newSnapshot, { name })
  const checked = named.issues ? named : checkInput(fileShape(shapes), input)
  if (checked.issues) return { refused: validationError(fieldIssues(checked.issues, named.issues ? { name } : input)) }
  const file = checked.value as SnapshotFile
  // The ids of its leads follow from both: elsewhere no key, no pixel and no callback of it would be found.
  const differing = (['tenant', 'seed'] as const).find(name => file.tenant[name] !== own[name])
  if (!differing) return { file }
  const [what, flag] = differing === 'seed' ? ['has another seed', 'seed'] : [`is called ${own.tenant}`, 'name']
  const issue = `is of another tenant, while this one ${what}: create a tenant with the ${flag} in the file, and import it there`
  return { refused: validationError([{ field: `tenant.${differing}`, issue }]) }
}
