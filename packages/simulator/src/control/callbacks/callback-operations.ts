import { dateTime } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { type ControlOperation, row, rowWithBody, rowWithQuery } from '../row.ts'
import { callback, callbackQuery, recovery, waitQuery } from './callback.shape.ts'
import { inboxChange, inboxEntry, inboxMode } from './inbox.shape.ts'

/** The operations on callbacks, and on the inbox that takes them where a tenant names no receiver. */
export const callbackOperations = {
  listCallbacks: {
    ...rowWithQuery,
    summary: 'List callbacks, newest first.',
    methods: ['GET'],
    path: '/tenants/:tenant/callbacks',
    input: callbackQuery,
    reply: z.strictObject({ callbacks: z.array(callback), next: z.optional(z.string()) }),
  },
  waitForCallback: {
    ...rowWithQuery,
    summary: 'Wait until a callback of a lead was delivered; 404 when the time is up.',
    methods: ['GET'],
    path: '/tenants/:tenant/callbacks/wait',
    input: waitQuery,
    reply: callback,
  },
  recoverCallbacks: {
    ...rowWithBody,
    summary: 'Send anew all callbacks that failed since a time.',
    methods: ['POST'],
    path: '/tenants/:tenant/callbacks/recover',
    input: recovery,
    reply: z.strictObject({ since: dateTime, callbacks: z.array(callback) }),
  },
  showCallback: {
    ...row,
    summary: 'Show a callback with every try of it.',
    methods: ['GET'],
    path: '/tenants/:tenant/callbacks/:callback_id',
    reply: callback,
  },
  resendCallback: {
    ...row,
    summary: 'Send a callback anew, whatever became of it, by the path of a first delivery.',
    methods: ['POST'],
    path: '/tenants/:tenant/callbacks/:callback_id/resend',
    reply: callback,
  },
  showInbox: {
    ...row,
    summary: "Show what the tenant's own inbox got, and how it answers.",
    methods: ['GET'],
    path: '/tenants/:tenant/inbox',
    reply: z.extend(inboxMode, { callbacks: z.array(inboxEntry) }),
  },
  changeInbox: {
    ...rowWithBody,
    summary: "Tell the tenant's own inbox how to answer, so that deliveries fail.",
    methods: ['PATCH'],
    path: '/tenants/:tenant/inbox',
    input: inboxChange,
    reply: inboxMode,
  },
} as const satisfies Record<string, ControlOperation>
