import { type FieldIssue, maxIssues, validationError } from '@lead-distribution/contract'
import { malformedJson, type Refusal } from '@lead-distribution/http'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { SnapshotContent } from '../tenants/snapshot-content.ts'
import { withIdentityOf } from '../tenants/tenant-identity.ts'
import { nextTurn } from '../time/next-turn.ts'
import { earliestTime, latestTime } from '../time/time-control.ts'
import { type JsonParts, type Part, type PartBounds, readJsonParts } from './json-parts.ts'
import { UnreadableJson } from './json-scanner.ts'
import { type FileHead, headShape, otherTenant, wrongParties } from './snapshot-account.ts'
import { createReaders, type ItemReader, type ListName, mebi, readItem } from './snapshot-lists.ts'
import type { FileOwner, SharedShapes } from './snapshot-shapes.ts'

export { fileAccount } from './snapshot-account.ts'
export { snapshotFormat } from './snapshot-shapes.ts'

/** A file that was read. */
interface SnapshotFile extends SnapshotContent {
  /** Milliseconds since 1970, real time. */
  saved_at: number
  record: TenantRecord
}

type ReadFile = { file: SnapshotFile; refused?: never } | { file?: never; refused: Refusal }

/**
 * Reads a file that was sent to a tenant: all of it is checked as where it is set otherwise, list by list and in steps, so
 * that other calls go on. Its identity is that of the tenant: ids that are not the tenant's are refused, keys and secrets
 * are the tenant's.
 */
export async function readSnapshotFile(
  shapes: SharedShapes,
  name: string,
  bytes: Uint8Array,
  own: FileOwner,
): Promise<ReadFile> {
  const named = readItem(shapes.newSnapshot, { name }, '')
  if (named.issues.length > 0) return { refused: validationError(named.issues) }
  try {
    return await readParts(shapes, bytes, own)
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error
    const { path, message: issue } = error
    if (path === undefined) return { refused: malformedJson }
    return { refused: validationError([{ field: path.join('.') || 'body', issue }]) }
  }
}

async function readParts(shapes: SharedShapes, bytes: Uint8Array, own: FileOwner): Promise<ReadFile> {
  const { readers, content } = createReaders(shapes, own)
  const lists = Object.entries(readers) as [ListName, ItemReader][]
  const object: PartBounds = { items: 50, itemBytes: mebi }
  const bounds = Object.fromEntries(lists.map(([name, { bounds }]) => [name, bounds]))
  const json = await readJsonParts(bytes, { ...bounds, tenant: object, documents: object })
  if (!json) return { refused: validationError([{ field: 'body', issue: 'must be an object' }]) }
  const head = readHead(json, shapes, own, lists)
  if (head.issues.length > 0) return { refused: validationError(head.issues) }
  const { saved_at, tenant, documents } = head.value as FileHead
  const wrong = otherTenant(tenant, own.record) ?? (await wrongParties(tenant, own)) ?? wrongClock(documents, saved_at)
  if (wrong) return { refused: validationError(wrong) }
  const issues = await readLists(json, lists)
  if (issues.length > 0) return { refused: validationError(issues) }
  const record = await withIdentityOf(own.record, tenant)
  return { file: { ...content, documents, record, saved_at: Date.parse(saved_at) } }
}

/** Reads all but the lists, which are only looked for. */
function readHead({ parts, values }: JsonParts, shapes: SharedShapes, own: FileOwner, lists: [ListName, ItemReader][]) {
  const input = { ...values }
  for (const name of ['tenant', 'documents']) {
    const part = parts.get(name)
    if (part?.kind === 'object') input[name] = wholeObject(part)
    else if (part) input[name] = []
  }
  const missing: FieldIssue[] = []
  for (const [name, { kind }] of lists) {
    if (parts.get(name)?.kind !== kind) {
      const isThere = parts.has(name) || Object.hasOwn(input, name)
      missing.push({
        field: name,
        issue: isThere ? `must be an ${kind === 'list' ? 'array' : 'object'}` : 'is required',
      })
    }
    delete input[name]
  }
  const { value, issues } = readItem(headShape(shapes, own), input, '')
  return { value, issues: [...issues, ...missing] }
}

/** An object whose members were apart. */
function wholeObject(part: Part): object {
  const members = Array.from({ length: part.length }, (_, index) => Object.entries(part.parse(index) as object))
  return Object.fromEntries(members.flat())
}

/** How much is read before other work has its turn, bytes, and how many bytes take as long as to check a small item. */
const [turnBytes, itemBytes] = [65_536, 1_024]

/** Reads the lists, in steps; returns what is wrong, and stops where that is more than is listed. */
async function readLists({ parts }: JsonParts, lists: [ListName, ItemReader][]): Promise<FieldIssue[]> {
  const issues: FieldIssue[] = []
  let read = 0
  for (const [name, { kind, shape, take }] of lists) {
    const part = parts.get(name)
    for (let index = 0; part && index < part.length; index++) {
      if (issues.length > maxIssues) return issues
      read += itemBytes + part.bytes(index)
      if (read > turnBytes) {
        await nextTurn()
        read = 0
      }
      const item = part.parse(index)
      const path = kind === 'list' ? `${name}.${index}` : name
      const checked = readItem(shape, item, path)
      issues.push(...checked.issues)
      if (checked.issues.length > 0) continue
      take(checked.value as never, (field, issue) => issues.push({ field: field ? `${path}.${field}` : path, issue }))
    }
  }
  return issues
}

/** The issue of a clock that would show a time that no clock shows. */
function wrongClock({ clock }: FileHead['documents'], saved_at: string): FieldIssue[] | undefined {
  const shown = clock?.mode === 'running' ? Date.parse(saved_at) + clock.ahead_ms : earliestTime
  if (shown >= earliestTime && shown <= latestTime) return undefined
  const [earliest, latest] = [earliestTime, latestTime].map(time => new Date(time).toISOString())
  const issue = `must have the clock show a time from ${earliest} to ${latest} at saved_at`
  return [{ field: 'documents.clock.ahead_ms', issue }]
}
