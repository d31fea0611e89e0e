import { dateTime } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { maxSnapshotBytes } from '../paths.ts'
import { account } from './account.ts'
import { type ControlOperation, operationDefaults, withBody } from './operation-defaults.ts'

const snapshotName = z.string().check(
  // A path of nothing but dots never arrives: clients resolve it.
  z.regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be 1 to 64 letters, digits, dots, underscores and hyphens, and begin with a letter or a digit',
  ),
)

/** The body that saves a snapshot. */
export const newSnapshot = z.strictObject({ name: snapshotName })

/** A snapshot: its name, and the real time of saving. */
export const snapshot = z.strictObject({ name: snapshotName, saved_at: dateTime })

/** A snapshot as a file: `snapshot-file.ts` has its shape, which is loaded where a file is read. */
const file = z.looseObject({ format: z.string(), saved_at: dateTime })

/** The operations on snapshots. */
export const snapshotOperations = {
  saveSnapshot: {
    ...withBody,
    title: 'Save a snapshot',
    description:
      'Saves the whole tenant under a name, including its clock and random numbers. Replaces a snapshot of the same name.',
    methods: ['POST'],
    path: '/tenants/:tenant/snapshots',
    input: newSnapshot,
    status: 201,
    reply: snapshot,
    errors: ['not_found', 'validation_error', 'too_many'],
  },
  listSnapshots: {
    ...operationDefaults,
    title: 'List snapshots',
    description: 'Returns the snapshots, oldest first.',
    methods: ['GET'],
    path: '/tenants/:tenant/snapshots',
    reply: z.strictObject({ snapshots: z.array(snapshot) }),
  },
  restoreSnapshot: {
    ...operationDefaults,
    title: 'Restore a snapshot',
    description: 'Restores the whole tenant from the snapshot.',
    methods: ['POST'],
    path: '/tenants/:tenant/snapshots/:name/restore',
    reply: account,
    errors: ['not_found', 'validation_error'],
  },
  deleteSnapshot: {
    ...operationDefaults,
    title: 'Delete a snapshot',
    methods: ['DELETE'],
    path: '/tenants/:tenant/snapshots/:name',
    reply: z.strictObject({ deleted: z.string() }),
    errors: ['not_found', 'validation_error'],
  },
  exportSnapshot: {
    ...operationDefaults,
    // Keys are derived from the seed.
    needs: 'write',
    title: 'Export a snapshot',
    description: 'Returns the snapshot as a file. It contains the seed of the tenant, from which its keys are derived.',
    methods: ['GET'],
    path: '/tenants/:tenant/snapshots/:name/file',
    reply: file,
    errors: ['not_found', 'validation_error', 'too_many'],
  },
  importSnapshot: {
    ...withBody,
    title: 'Import a snapshot',
    description:
      'Saves a file as a snapshot. The file must come from a tenant with the same name and seed. Restore the snapshot to use it.',
    methods: ['POST'],
    path: '/tenants/:tenant/snapshots/:name/file',
    input: file,
    parsing: 'handler',
    maxBodyBytes: maxSnapshotBytes,
    status: 201,
    reply: snapshot,
    errors: ['not_found', 'validation_error', 'too_many'],
  },
} as const satisfies Record<string, ControlOperation>
