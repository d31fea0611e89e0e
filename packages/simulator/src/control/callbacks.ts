import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import { durationMs, isDuration } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { type ControlOperation, operationDefaults, wholeNumber, withBody, withQuery } from './operation-defaults.ts'

/** What a callback can have come to. */
export const callbackState = z.enum(['pending', 'delivered', 'failed'])

/** By which fault a callback is held up. */
export const callbackHold = z.enum(['delay', 'reorder'])

/** Why a callback is not sent when it is due: by a fault, or because all of the tenant's are held. */
export const shownHold = z.enum([...callbackHold.options, 'tenant'])

/** A callback with all its attempts. */
export const callback = z.strictObject({
  callback_id: uuid,
  lead_id: uuid,
  event: z.string(),
  url: z.string(),
  state: callbackState,
  attempts: z.array(
    z.strictObject({
      at: dateTime,
      status: z.optional(z.int()),
      error: z.optional(z.string()),
      ms: z.number(),
      copies: z.optional(z.int()),
      fault_id: z.optional(z.string()),
    }),
  ),
  next_attempt_at: z.optional(dateTime),
  held: z.optional(shownHold),
})

/** The query of the list of callbacks. */
const callbackQuery = z.strictObject({
  lead_id: z.optional(uuid),
  state: z.optional(callbackState),
  limit: z.optional(wholeNumber('limit')),
  before: z.optional(uuid),
})

/** The query of waiting for a callback. */
const waitQuery = z.strictObject({
  lead_id: uuid,
  event: z.optional(z.string().check(z.minLength(1))),
  timeout_ms: z.optional(wholeNumber('timeout_ms')),
})

/** The body of `recover`: a time, or a duration back from the tenant's now. */
const recovery = z.strictObject({
  since: z
    .string()
    .check(
      z.refine(
        text => dateTime.safeParse(text).success || (isDuration(text) && durationMs(text) <= durationMs('P3650D')),
        'must be a date-time with a zone, or a duration back from now such as PT24H',
      ),
    ),
})

const status = wholeNumber('status')
const times = wholeNumber('times')

/** How an inbox answers, and how many more times; without a number until it is changed. */
export const inboxMode = z.strictObject({ status, times: z.optional(times) })

/** The body of a change of an inbox. */
const inboxChange = z.strictObject({ status, times: z.optional(times) })

const entryId = z.string().check(z.regex(/^i\d{1,15}$/, 'must be an entry_id of the inbox, such as i42'))

/** The query of the inbox. */
const inboxQuery = z.strictObject({ limit: z.optional(wholeNumber('limit')), before: z.optional(entryId) })

/** A callback that an inbox received, and the status of its reply. */
const inboxEntry = z.strictObject({
  entry_id: entryId,
  received_at: dateTime,
  lead_id: z.string(),
  event: z.string(),
  target: z.string(),
  headers: z.record(z.string(), z.string()),
  status: z.int(),
})

/** The operations on callbacks, and on the inbox that receives them where a tenant has no callback URL. */
export const callbackOperations = {
  listCallbacks: {
    ...withQuery,
    title: 'List callbacks',
    description: 'Returns callbacks, newest first.',
    methods: ['GET'],
    path: '/tenants/:tenant/callbacks',
    input: callbackQuery,
    reply: z.strictObject({ callbacks: z.array(callback), next: z.optional(z.string()) }),
  },
  waitForCallback: {
    ...withQuery,
    title: 'Wait for a callback',
    description: 'Responds as soon as a callback of the lead is delivered, or with `404` when the time is up.',
    methods: ['GET'],
    path: '/tenants/:tenant/callbacks/wait',
    input: waitQuery,
    reply: callback,
    errors: ['not_found', 'validation_error', 'too_many_requests'],
  },
  recoverCallbacks: {
    ...withBody,
    title: 'Resend failed callbacks',
    description: 'Resends all callbacks that failed since a time.',
    methods: ['POST'],
    path: '/tenants/:tenant/callbacks/recover',
    input: recovery,
    reply: z.strictObject({ since: dateTime, callbacks: z.array(callback) }),
  },
  showCallback: {
    ...operationDefaults,
    title: 'Show a callback',
    description: 'Returns the callback with all its attempts.',
    methods: ['GET'],
    path: '/tenants/:tenant/callbacks/:callback_id',
    reply: callback,
  },
  resendCallback: {
    ...operationDefaults,
    title: 'Resend a callback',
    description:
      'Resends the callback, whatever its state, as on its first delivery. While callbacks are held, it waits with them.',
    methods: ['POST'],
    path: '/tenants/:tenant/callbacks/:callback_id/resend',
    reply: callback,
  },
  showInbox: {
    ...withQuery,
    title: 'Show the inbox',
    description: "Returns what the tenant's inbox received, newest first, and how it responds.",
    methods: ['GET'],
    path: '/tenants/:tenant/inbox',
    input: inboxQuery,
    reply: z.extend(inboxMode, { callbacks: z.array(inboxEntry), next: z.optional(z.string()) }),
  },
  changeInbox: {
    ...withBody,
    title: 'Change the inbox',
    description: 'Changes how the inbox responds, for example to make deliveries fail.',
    methods: ['PATCH'],
    path: '/tenants/:tenant/inbox',
    input: inboxChange,
    reply: inboxMode,
  },
} as const satisfies Record<string, ControlOperation>
