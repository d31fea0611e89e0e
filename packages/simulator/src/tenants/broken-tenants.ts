import { checkInput, fieldIssues } from '@lead-distribution/contract/shapes'
import type { Storage } from '@lead-distribution/engine'
import type * as z from 'zod/mini'
import { createSeededIds, type SeededIds } from '../random/seeded-random.ts'
import type { TenantDocuments } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { type ListedTenant, type TenantRecord, tenantRecord } from '../storage/tenant-record.ts'
import { controlPath } from '../urls.ts'
import { readTenant, type StoredTenant } from './account.ts'
import { createTenant } from './create-tenant.ts'
import { randomKeys, type TenantDependencies } from './runtime.ts'
import { withCredentials } from './tenant-identity.ts'

export interface StoredShapes {
  readonly documents: z.ZodMiniObject
}

/** A stored tenant that could not be opened. */
export interface BrokenTenant {
  readonly tenant: string
  /** The part that cannot be read, and why. */
  readonly reason: string
  /** The readable part of its record; undefined if the seed, from which ids and keys derive, is unreadable. */
  readonly record: TenantRecord | undefined
  /** The tenant's content and version, if processes share the storage. */
  readonly content?: string | undefined
  readonly version?: number | undefined
  /** The tenant's lead ids, if its seed is readable. */
  readonly leadIds?: SeededIds | undefined
}

/** A part of a stored tenant cannot be read. The message says which and why. */
class UnreadableTenant extends Error {}

/** The maximum length of a reason, in characters. */
const maxReason = 300

/** Validates a tenant's record, and sets defaults for newer criteria. Throws if it is invalid. */
export function checkRecord({ tenant, record }: ListedTenant): TenantRecord {
  const checked = checkShape('its stored record', tenantRecord, record) as TenantRecord
  if (checked.tenant !== tenant) throw new UnreadableTenant('its stored record: tenant is the name of another tenant')
  return checked
}

/** Validates a tenant's documents. Throws if one is invalid. */
export function checkDocuments(
  documents: Readonly<Partial<Record<keyof TenantDocuments, unknown>>>,
  { documents: shape }: StoredShapes,
): Partial<TenantDocuments> {
  return checkShape('its stored documents', shape, documents) as Partial<TenantDocuments>
}

/** Reads a stored tenant. Throws if it is invalid. */
export async function readStored(
  listed: ListedTenant,
  { read }: Storage<SandboxTables>,
  shapes: StoredShapes,
): Promise<StoredTenant> {
  const record = checkRecord(listed)
  return read(tables => readTenant(record, tables, documents => checkDocuments(documents, shapes)))
}

function checkShape(what: string, shape: z.ZodMiniObject, stored: unknown): unknown {
  const { value, issues } = checkInput(shape, stored)
  const [first, ...more] = issues ? fieldIssues(issues, stored) : []
  if (!first) return value
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  throw new UnreadableTenant(`${what}: ${`${first.field} ${first.issue}`.trim()}${others}`)
}

export interface BrokenTenantOptions extends Pick<TenantDependencies, 'storage' | 'randomSalt' | 'onError'> {
  readonly shapes: StoredShapes
}

/** Reports why a stored tenant could not be opened, and returns its readable part. */
export async function breakTenant(
  listed: ListedTenant & Pick<BrokenTenant, 'content' | 'version'>,
  cause: unknown,
  { storage, randomSalt, onError }: BrokenTenantOptions,
): Promise<BrokenTenant> {
  const { tenant, content, version } = listed
  const message = cause instanceof Error ? cause.message : String(cause)
  const whole = cause instanceof UnreadableTenant ? message : `it could not be opened: ${message}`
  const reason = whole.slice(0, maxReason)
  const record = await salvageRecord(listed)
  const leadIds = record && createSeededIds((await randomKeys(record, randomSalt)).leads, undefined)
  onError(new Error(`The tenant ${tenant} in ${storage.place} is broken: ${reason}. ${whatToDo(tenant)}`, { cause }))
  return { tenant, reason, record, content, version, leadIds }
}

/** The operator's actions on a broken tenant. */
export function whatToDo(tenant: string): string {
  return `All other tenants work. Export its stored data (GET ${controlPath}/tenants/${tenant}/raw, or lead-sandbox tenants raw ${tenant}), then reset or delete it (lead-sandbox reset --tenant ${tenant}, or lead-sandbox tenants delete ${tenant}).`
}

/** Returns the readable part of a record; undefined if the seed is unreadable. */
async function salvageRecord({ tenant, record }: ListedTenant): Promise<TenantRecord | undefined> {
  const stored = typeof record === 'object' && record !== null ? record : {}
  const readable: Partial<TenantRecord> = Object.fromEntries(
    Object.entries(tenantRecord.shape).flatMap(([name, field]) => {
      const { value } = checkInput(field, Reflect.get(stored, name))
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const { seed, created_at = 0, settings = {}, created_from = { settings } } = readable
  if (seed === undefined) return undefined
  const created = await createTenant({ ...created_from, tenant, seed, created_at })
  return withCredentials({ ...created, ...readable, tenant, created_from })
}
