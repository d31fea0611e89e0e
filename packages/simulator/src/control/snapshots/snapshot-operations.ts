import * as z from 'zod/mini'
import { type ControlOperation, row, rowWithBody } from '../row.ts'
import { account } from '../tenants/account.shape.ts'
import { snapshotOrder, snapshotView } from './snapshot.shape.ts'

/** The operations on snapshots. */
export const snapshotOperations = {
  saveSnapshot: {
    ...rowWithBody,
    summary: 'Keep the whole tenant under a name, clock and chance included; one of that name is replaced.',
    methods: ['POST'],
    path: '/tenants/:tenant/snapshots',
    input: snapshotOrder,
    status: 201,
    reply: snapshotView,
    errors: ['not_found', 'validation_error', 'too_many'],
  },
  listSnapshots: {
    ...row,
    summary: 'List the snapshots, oldest first.',
    methods: ['GET'],
    path: '/tenants/:tenant/snapshots',
    reply: z.strictObject({ snapshots: z.array(snapshotView) }),
  },
  restoreSnapshot: {
    ...row,
    summary: 'Put the whole tenant back as it was kept under a name.',
    methods: ['POST'],
    path: '/tenants/:tenant/snapshots/:name/restore',
    reply: account,
    errors: ['not_found', 'validation_error'],
  },
  deleteSnapshot: {
    ...row,
    summary: 'Forget a snapshot.',
    methods: ['DELETE'],
    path: '/tenants/:tenant/snapshots/:name',
    reply: z.strictObject({ deleted: z.string() }),
    errors: ['not_found', 'validation_error'],
  },
} as const satisfies Record<string, ControlOperation>
