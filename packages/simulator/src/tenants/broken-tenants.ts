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
  /** The part of it that cannot be read, and why. */
  readonly reason: string
  /** The readable part of its record; undefined if its seed, from which ids and keys derive, is unreadable. */
  readonly record: TenantRecord | undefined
  /** The content and version of a tenant in a storage that processes share. */
  readonly content?: string | undefined
  readonly version?: number | undefined
  /** The ids of its leads, if its seed is readable. */
  readonly leadIds?: SeededIds | undefined
}

/** A stored part of a tenant cannot be read; the message says which, and why. */
class UnreadableTenant extends Error {}

/** The maximum length of a reason, characters. */
const maxReason = 300

/** Checks the record of a tenant, and gives criteria that are newer than it their defaults. Throws if it cannot be read. */
export function checkRecord({ tenant, record }: ListedTenant): TenantRecord {
  const checked = checkShape('its stored record', tenantRecord, record) as TenantRecord
  if (checked.tenant !== tenant) throw new UnreadableTenant('its stored record: tenant is the name of another tenant')
  return checked
}

/** Checks the documents of a tenant. Throws if one cannot be read. */
export function checkDocuments(
  documents: Readonly<Partial<Record<keyof TenantDocuments, unknown>>>,
  { documents: shape }: StoredShapes,
): Partial<TenantDocuments> {
  return checkShape('its stored documents', shape, documents) as Partial<TenantDocuments>
}

/** Reads a stored tenant. Throws if it cannot be read. */
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

/** Reports that a stored tenant could not be opened, and why; returns the readable part. */
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

/** Returns the readable part of a record; undefined if its seed cannot be read. */
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
