import { toHex } from '@lead-distribution/contract'
import * as z from 'zod/mini'
import { canonicalHost, refuseCallbackUrl } from '../egress/callback-target.ts'
import type { ForwardedCallback } from '../storage/records.ts'
import { maxCallbackWaits, tooManyAtOnce } from '../tenants/waiting-requests.ts'
import { requeue } from './callbacks.ts'
import { controlError, noSuch, refuseFields } from './control-error.ts'
import { operation } from './operation.ts'
import { pastTime, readPastTime, timeThatExists } from './shapes.ts'

/**
 * The body that starts a listener: the URL of a receiver that only it can reach, and the time since which to resend
 * callbacks.
 */
const newListener = z.strictObject({ forward_to: z.string(), since: z.optional(pastTime) })

/** A callback for the listener to send, as a GET with these headers. */
const forwarded = z.strictObject({
  delivery_id: z.string(),
  lead_id: z.string(),
  event: z.string(),
  /** The number of the attempt, from 1. */
  attempt: z.int(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** Milliseconds left for the response. */
  timeout_ms: z.int(),
})

/** The receiver's response: its status, or the error if there is none. */
const response = z
  .strictObject({
    status: z.optional(z.int().check(z.gte(100), z.lte(599))),
    error: z.optional(z.string().check(z.minLength(1), z.maxLength(500))),
  })
  .check(
    z.refine(
      ({ status, error }) => (status === undefined) !== (error === undefined),
      'must contain exactly one of status and error',
    ),
  )

const otherListener = controlError(
  'too_many',
  'This tenant already has a connected listener, and only one is allowed. Stop it, or end it: DELETE …/listener/ID with the listener_id of the account, or lead-sandbox listen --end.',
)

/** Tells the listener to keep calling, even if the sandbox has forgotten it after a restart. */
const closing = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: { error: 'service_unavailable', message: 'The sandbox is closing. Call again once it is started.' },
}

const tooManyWaits = tooManyAtOnce(
  `${maxCallbackWaits} requests are already waiting for a callback of this tenant. Use fewer at a time.`,
)

export const listenerOperations = {
  startListener: operation(
    {
      title: 'Start a listener',
      description:
        "Routes the tenant's callbacks through the listener instead of to the callback URL. The responses that it reports decide the attempts. Callbacks are held while the listener is not connected. With `since`, callbacks sent since that time are resent.",
      methods: ['POST'],
      path: '/tenants/:tenant/listener',
      input: newListener,
      status: 201,
      reply: z.strictObject({ listener_id: z.string(), forward_to: z.string(), resent: z.int() }),
      errors: ['too_many'],
    },
    async ({ tenant, input: { forward_to, since } }, { registry, entropy }) => {
      const host = URL.canParse(forward_to) ? canonicalHost(new URL(forward_to).hostname) : undefined
      // The sandbox itself doesn't connect there, so any host passes if the URL is well-formed.
      const issue = refuseCallbackUrl(forward_to, [host ?? ''])
      if (issue !== undefined) return refuseFields({ field: 'forward_to', issue })
      const from = since === undefined ? Number.POSITIVE_INFINITY : readPastTime(tenant, since)
      if (Number.isNaN(from)) return refuseFields({ field: 'since', issue: timeThatExists })
      const listener_id = toHex(entropy.bytes(8))
      await tenant.listener.isReachable()
      const { issues } = await registry.change(tenant.record.tenant, async record =>
        record.listener?.connected
          ? { issues: [] }
          : { record: { ...record, listener: { listener_id, forward_to, connected: false } } },
      )
      if (issues) return otherListener
      const resent = since === undefined ? [] : await requeue(tenant, from)
      return { body: { listener_id, forward_to, resent: resent.length } }
    },
  ),
  takeCallbacks: operation(
    {
      title: 'Take callbacks to forward',
      description:
        'Responds with the callbacks to send as soon as there are any, or with an empty list after 5 seconds. Call it again at once: otherwise the listener counts as disconnected.',
      methods: ['POST'],
      path: '/tenants/:tenant/listener/:listener_id/take',
      reply: z.strictObject({ deliveries: z.array(forwarded) }),
      errors: ['too_many_requests'],
    },
    async ({ tenant, params: { listener_id }, wait }) => {
      const { listener, waits } = tenant
      const isEnded = () => tenant.record.listener?.listener_id !== listener_id
      if (isEnded()) return noSuch('listener')
      const taking = waits.callbacks.run(wait, gone => listener.take(listener_id, gone))
      if (!taking) return tooManyWaits
      const deliveries = await taking
      if (!deliveries) return closing
      if (isEnded()) return noSuch('listener')
      return { body: { deliveries: deliveries.map(each => forwardedView(each, listener.leftMs(each))) } }
    },
  ),
  reportForwarded: operation(
    {
      title: 'Report a forwarded callback',
      description:
        "Reports the receiver's response, which decides the attempt as if the sandbox itself had sent the callback.",
      methods: ['POST'],
      path: '/tenants/:tenant/listener/:listener_id/deliveries/:delivery_id',
      input: response,
      reply: z.strictObject({ reported: z.string() }),
    },
    async ({ tenant: { listener, record }, params: { listener_id, delivery_id }, input }) => {
      if (record.listener?.listener_id !== listener_id) return noSuch('listener')
      const isAwaited = await listener.report(listener_id, delivery_id, input)
      return isAwaited ? { body: { reported: delivery_id } } : noSuch('delivery in flight')
    },
  ),
  endListener: operation(
    {
      title: 'End a listener',
      description: 'Ends the listener: callbacks go to the callback URL again. Attempts in flight fail.',
      methods: ['DELETE'],
      path: '/tenants/:tenant/listener/:listener_id',
      reply: z.strictObject({ ended: z.string() }),
    },
    async ({ tenant, params: { listener_id } }, { registry }) => {
      const { issues } = await registry.change(tenant.record.tenant, async record =>
        record.listener?.listener_id === listener_id ? { record: { ...record, listener: undefined } } : { issues: [] },
      )
      if (issues) return noSuch('listener')
      await tenant.listener.end(listener_id)
      return { body: { ended: listener_id } }
    },
  ),
}

function forwardedView({ delivery_id, url, headers, attempt }: ForwardedCallback, timeout_ms: number) {
  const query = new URL(url).searchParams
  const [lead_id = '', event = ''] = ['lead_id', 'event'].map(name => query.getAll(name).at(-1))
  return { delivery_id, lead_id, event, attempt, url, headers, timeout_ms }
}
