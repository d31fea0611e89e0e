import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { TenantRecord, UndoSnapshot } from '../storage/tenant-record.ts'

/** The time for which a reset, a restore or a deletion can be undone, milliseconds of real time. */
export const undoMs = 3_600_000

/** The largest number of snapshots that a tenant keeps to undo changes: each is as large as the tenant. */
const mostKept = 3

/** Returns when an automatic snapshot is deleted, milliseconds since 1970. */
export const expiryOfSnapshot = ({ saved_at }: Pick<UndoSnapshot, 'saved_at'>) => saved_at + undoMs

/**
 * Saves a tenant before a change, so that it can be undone. Nothing else of the tenant may run meanwhile. Resolves to the
 * record that the tenant must get by the change, because it tells which snapshots are automatic. The oldest of these make
 * room, but never the one that is `needed` for the change.
 */
export async function saveForUndo(
  storage: SandboxStorage,
  record: TenantRecord,
  change: 'reset' | 'restore',
  now: number,
  needed?: UndoSnapshot,
): Promise<{ readonly record: TenantRecord; readonly saved: UndoSnapshot }> {
  const { tenant, undo_snapshots = [] } = record
  const taken = new Set((await storage.listSnapshots(tenant)).map(({ name }) => name))
  let saved: UndoSnapshot
  let saved_at = now
  do {
    saved = { name: nameOf(change, saved_at), saved_at }
    saved_at++
  } while (taken.has(saved.name))
  await storage.saveSnapshot(tenant, saved)
  const removable = undo_snapshots.filter(({ name }) => name !== needed?.name)
  const surplus = removable.slice(0, Math.max(0, undo_snapshots.length + 1 - mostKept))
  await deleteSnapshots(storage, tenant, surplus)
  const kept = undo_snapshots.filter(snapshot => !surplus.includes(snapshot))
  return { record: { ...record, undo_snapshots: [...kept, saved] }, saved }
}

/** Deletes automatic snapshots. One that was replaced under its name is not automatic any more, and stays. */
export async function deleteSnapshots(
  storage: SandboxStorage,
  tenant: string,
  snapshots: readonly UndoSnapshot[],
): Promise<void> {
  if (snapshots.length === 0) return
  const existing = await storage.listSnapshots(tenant)
  for (const { name, saved_at } of snapshots)
    if (existing.some(other => other.name === name && other.saved_at === saved_at))
      await storage.deleteSnapshot(tenant, name)
}

/** Returns when a snapshot is deleted by itself, milliseconds since 1970; undefined if its user saved it. */
export function expiryOfSaved({ undo_snapshots = [] }: TenantRecord, saved: UndoSnapshot): number | undefined {
  const isAutomatic = undo_snapshots.some(({ name, saved_at }) => name === saved.name && saved_at === saved.saved_at)
  return isAutomatic ? expiryOfSnapshot(saved) : undefined
}

/** A name without colons, which file names of downloads cannot have everywhere. */
function nameOf(change: string, at: number): string {
  return `before-${change}-${new Date(at).toISOString().replaceAll(':', '-')}`
}
