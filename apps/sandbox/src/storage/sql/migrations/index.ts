import { firstSchema } from './0008-first-schema.ts'
import { bodiesOfCalls } from './0009-bodies-of-calls.ts'
import type { Migration } from './migration.ts'

/** Builds that were never released had other tables; their migrations were numbered 1 to 7. */
const lastUnreleased = 7

/** Every migration, oldest first. */
export const migrations: readonly Migration[] = [firstSchema, bodiesOfCalls]

/** The number of the newest migration. */
export const newestVersion = lastUnreleased + migrations.length

/**
 * Returns the migrations that a database has not had, with their numbers. Its version is the number of its newest one, 0 where it is
 * empty. Throws if no release up to this one made such a database; `place` names it.
 */
export function migrationsAfter(
  version: number,
  place: string,
  all = migrations,
): { number: number; migration: Migration }[] {
  const newest = lastUnreleased + all.length
  if (version > newest)
    throw new Error(
      `${place} was written by a newer version of the sandbox (table version ${version}; this sandbox supports up to ${newest}). Use that version, or name another file or database.`,
    )
  if (version >= 1 && version <= lastUnreleased)
    throw new Error(
      `${place} was made by a build from before the first release (table version ${version}), which this sandbox cannot read: name another file or database to start with an empty one. To keep snapshots, export them with that build and import them here. This one was not changed.`,
    )
  return all
    .map((migration, index) => ({ number: lastUnreleased + 1 + index, migration }))
    .filter(({ number }) => number > version)
}
