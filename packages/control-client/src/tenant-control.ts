import type { ControlReply } from '@lead-distribution/simulator'
import { bounds } from '@lead-distribution/simulator/bounds'
import { createMethods, type Method, type Options, type Send } from './call-operation.ts'
import { ControlError } from './errors.ts'

/**
 * An account with its keys and secrets, for configuring the application under test.
 * @category Sandbox
 */
export interface Account extends ControlReply<'showTenant'> {}

/**
 * A callback to the publisher, with all its attempts.
 * @category Sandbox
 */
export interface Callback extends ControlReply<'showCallback'> {}

/**
 * The control plane of one tenant. Options are in camelCase; every method resolves to the control plane's response, in
 * wire spelling.
 * @throws ControlError from each method: the sandbox refuses the call or does not respond.
 * @throws PathError from each method: a name or an id cannot be part of a path; nothing was sent.
 * @example
 * ```ts
 * await tenant.faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 }, times: 1 })
 * await tenant.clock.advance({ by: 'PT24H' })
 * const { leads } = await tenant.leads.list({ status: 'distributed' })
 * ```
 * @category Client
 */
export interface TenantControl extends Readonly<ReturnType<typeof createTenantControl>> {}

/** Creates the control plane client of the tenant with this name: a table of its operations. Sends nothing. */
export function createTenantControl(send: Send, tenant: string) {
  const { call, stream } = createMethods(send, tenant)
  const update = call('changeTenant', 'PATCH /tenants/:tenant', { sends: 'document' })
  const changeClock = call('changeClock', 'POST /tenants/:tenant/clock')
  const saveSnapshot = call('saveSnapshot', 'POST /tenants/:tenant/snapshots')
  const allowHost = call('allowHost', 'POST /tenants/:tenant/hosts')
  const diagnose = call('diagnosePostback', 'POST /tenants/:tenant/diagnose')
  const waitOnce = call('waitForCallback', 'GET /tenants/:tenant/callbacks/wait')
  const document = { sends: 'document' } as const

  return {
    /** The tenant's name. */
    name: tenant,
    /** The tenant's leads, and the decision on each. */
    leads: {
      /**
       * Returns a page of summaries of the matching leads, newest first. `include: 'submission'` adds the submitted
       * data. `limit`: from 1 to 500, default 50. If there are more, the response's `next` is the `before` for the next
       * page.
       */
      list: call('listLeads', 'GET /tenants/:tenant/leads'),
      /** Returns a lead with its submission, trace, deliveries, postback URLs, events and callbacks. */
      show: call('showLead', 'GET /tenants/:tenant/leads/:lead_id'),
      /**
       * Returns the response that the service would give to a submission, valid or not, and the reasons. Stores
       * nothing.
       */
      explain: call('explainLead', 'POST /tenants/:tenant/leads/explain', document),
      /**
       * Returns a repro file for a lead: the smallest file that reproduces the decision anywhere, without personal
       * data. `lead-sandbox repro run FILE` runs it.
       */
      repro: call('reproduceLead', 'GET /tenants/:tenant/leads/:lead_id/repro'),
      /** Returns a repro file for the decision that a submission would get, even if it stores no lead. */
      reproSubmission: call('reproduceSubmission', 'POST /tenants/:tenant/leads/repro', document),
      /**
       * Makes the simulated advertiser report an event for a lead through the real endpoint. `repeat`: how many times,
       * from 1 to 100, default 1.
       */
      trigger: call('triggerEvent', 'POST /tenants/:tenant/leads/:lead_id/trigger'),
    },
    /** The tenant's submissions: its leads, and the rejections that created none. */
    submissions: {
      /**
       * Returns a page of the matching submissions, newest first. A rejection that created no lead has a journal
       * `request_id` instead of a `lead_id`. `limit` and `before` as in `leads.list`.
       */
      list: call('listSubmissions', 'GET /tenants/:tenant/submissions'),
    },
    /** The tenant's callbacks: list, show, wait for, resend. */
    callbacks: {
      /**
       * Returns a page of the matching callbacks, newest first; `limit` and `before` as in `leads.list`. `include:
       * 'email'` adds the customer's e-mail address.
       */
      list: call('listCallbacks', 'GET /tenants/:tenant/callbacks'),
      /** Returns a callback with all its attempts. */
      show: call('showCallback', 'GET /tenants/:tenant/callbacks/:callback_id'),
      /** Resends a callback, whatever its state. */
      resend: call('resendCallback', 'POST /tenants/:tenant/callbacks/:callback_id/resend'),
      /** Resends all callbacks that failed since a date-time or within a duration before now. */
      recover: call('recoverCallbacks', 'POST /tenants/:tenant/callbacks/recover'),
      /**
       * Sends the callback of a lead and an event with changes: `edit` sets parameters of its query. It is marked as
       * `synthetic`, is attempted once, and affects no other callback. `repeat`: how many times; `late`: a duration
       * before sending.
       */
      send: call('sendCallback', 'POST /tenants/:tenant/callbacks'),
      /** Holds all callbacks, regardless of the clock. Resolves when no attempt is in flight. */
      hold: (): Promise<Account> => update({ callbacks_held: true }),
      /** Releases the callbacks. Resolves after the due ones are sent, in order. */
      release: (): Promise<Account> => update({ callbacks_held: false }),
      /**
       * Waits until a lead's callback is delivered, for at most `timeoutMs` (default 5000).
       * @throws ControlError with the status 404 if it is not delivered in time.
       */
      wait: (options: Options<'waitForCallback'>): Promise<Callback> => waitForCallback(waitOnce, options),
    },
    /**
     * Forwarding callbacks through a program, such as `lead-sandbox listen`, to a receiver that the sandbox cannot
     * reach.
     */
    listener: {
      /**
       * Starts forwarding: callbacks go through the program until `end`. `since` also resends those sent since a
       * date-time or within a duration before now.
       */
      start: call('startListener', 'POST /tenants/:tenant/listener'),
      /**
       * Waits up to 5 s for callbacks to forward. Call it again immediately: callbacks are held while no call is
       * waiting.
       */
      take: call('takeCallbacks', 'POST /tenants/:tenant/listener/:listener_id/take', { holdMs: 5_000 }),
      /** Reports the receiver's `status`, or the `error` in its place. It becomes the result of the attempt. */
      report: call('reportForwarded', 'POST /tenants/:tenant/listener/:listener_id/deliveries/:delivery_id'),
      /** Ends forwarding: callbacks go to the callback URL again. */
      end: call('endListener', 'DELETE /tenants/:tenant/listener/:listener_id'),
    },
    /** The inbox: the sandbox's own callback receiver. */
    inbox: {
      /**
       * Returns a page of the received callbacks, newest first, and the status with which the inbox responds; `limit`
       * and `before` as in `leads.list`.
       */
      show: call('showInbox', 'GET /tenants/:tenant/inbox'),
      /**
       * Changes the inbox's status, for example to make deliveries fail: `{ status: 503, times: 2 }`. `times` is the
       * number of callbacks; without it, the status applies until the next change.
       */
      change: call('changeInbox', 'PATCH /tenants/:tenant/inbox'),
    },
    /** The tenant's clock. */
    clock: {
      /** Returns the clock's mode and time. */
      show: call('showClock', 'GET /tenants/:tenant/clock'),
      /**
       * Returns the scheduled jobs, earliest first: callbacks, and events that the simulated advertiser will report.
       */
      agenda: call('showAgenda', 'GET /tenants/:tenant/clock/agenda'),
      /** Stops the clock. */
      freeze: (): Promise<ControlReply<'changeClock'>> => changeClock({ freeze: true }),
      /** Moves the clock forward to a date-time with a zone. */
      set: (time: string): Promise<ControlReply<'changeClock'>> => changeClock({ set: time }),
      /** Lets the clock run again. */
      resume: (): Promise<ControlReply<'changeClock'>> => changeClock({ resume: true }),
      /** Advances the clock by an ISO 8601 duration. Resolves after everything due by then has run, in order. */
      advance: call('advanceClock', 'POST /tenants/:tenant/clock/advance'),
    },
    /** Faults to inject into requests and callbacks. */
    faults: {
      /**
       * Adds a fault: one effect on matching requests or callbacks. `times` is how many of them to affect, `after` how
       * many to let pass first, `probability` the share affected, from 0 to 1. In the effects, `latency_ms` is in
       * milliseconds, `retry_after` in seconds, and `duplicate` the number of extra deliveries.
       */
      add: call('addFault', 'POST /tenants/:tenant/faults'),
      /**
       * Returns the faults in matching order: the number of requests or callback attempts that each matched and affected,
       * and when it acts next.
       */
      list: call('listFaults', 'GET /tenants/:tenant/faults'),
      /** Removes a fault. */
      remove: call('removeFault', 'DELETE /tenants/:tenant/faults/:fault_id'),
      /** Removes all faults. */
      clear: call('clearFaults', 'DELETE /tenants/:tenant/faults'),
    },
    /** The journal of requests to the service, with personal data and secrets redacted. */
    requests: {
      /** Returns a page of the matching requests, newest first; `limit` and `before` as in `leads.list`. */
      list: call('listRequests', 'GET /tenants/:tenant/requests'),
      /** Returns a request. For a submission that created no lead, it includes every check of the decision. */
      show: call('showRequest', 'GET /tenants/:tenant/requests/:request_id'),
    },
    /** Snapshots of the whole tenant. */
    snapshots: {
      /** Saves the tenant as a snapshot, replacing one with the same name. */
      save: (name: string): Promise<ControlReply<'saveSnapshot'>> => saveSnapshot({ name }),
      /** Returns each snapshot's name and time, oldest first. */
      list: call('listSnapshots', 'GET /tenants/:tenant/snapshots'),
      /** Restores the tenant from a snapshot, including its clock. The previous state is saved as `before-restore`. */
      restore: call('restoreSnapshot', 'POST /tenants/:tenant/snapshots/:name/restore'),
      /** Deletes a snapshot. The tenant does not change. */
      delete: call('deleteSnapshot', 'DELETE /tenants/:tenant/snapshots/:name'),
      /** Returns a snapshot as an NDJSON file. It contains the tenant's seed, from which its keys are derived. */
      export: call('exportSnapshot', 'GET /tenants/:tenant/snapshots/:name/file', { responds: 'text' }),
      /**
       * Imports a file as a snapshot; it must come from a tenant with the same name and seed. Restore the snapshot to
       * use it.
       */
      import: call('importSnapshot', 'POST /tenants/:tenant/snapshots/:name/file', { sends: 'lines' }),
    },
    /** Tokens that give access to only this tenant, for a shared sandbox. Require the admin token. */
    tokens: {
      /** Creates a token. Its text is only shown now: pass it as the `adminToken` of a client for this tenant. */
      create: call('createToken', 'POST /tenants/:tenant/tokens'),
      /** Returns the tokens without their texts. */
      list: call('listTokens', 'GET /tenants/:tenant/tokens'),
      /** Revokes a token. */
      revoke: call('revokeToken', 'DELETE /tenants/:tenant/tokens/:token_id'),
    },
    /** Additional hosts to which the tenant's callbacks may be sent. Changes require the admin token. */
    hosts: {
      /** Allows a host by name. */
      allow: (host: string): Promise<ControlReply<'allowHost'>> => allowHost({ host }),
      /** Returns the allowed hosts. */
      list: call('listHosts', 'GET /tenants/:tenant/hosts'),
      /** Removes a host: from now on, callbacks to it fail. */
      remove: call('removeHost', 'DELETE /tenants/:tenant/hosts/:host'),
    },
    /**
     * Returns statistics for charts: submissions over time, rejection reasons, callbacks by state, and request
     * durations. `period`: the last hour or day on the tenant's clock.
     */
    activity: call('showActivity', 'GET /tenants/:tenant/activity'),
    /**
     * Returns the outcomes, reasons, errors and events that your integration has encountered, and how to trigger the
     * others. `origin` selects those caused by the `console` or the `command-line` instead.
     */
    coverage: call('showCoverage', 'GET /tenants/:tenant/coverage'),
    /** Diagnoses a postback URL, check by check. Changes nothing. */
    diagnosePostback: (url: string): Promise<ControlReply<'diagnosePostback'>> => diagnose({ url }),
    /**
     * Streams the tenant's events: leads, callbacks, requests, clock, faults. The first event is `ready`, or `reset` if
     * `lastEventId` is too old; no event is missing after it. A later `reset` means that you read too slowly and events
     * were dropped: reload your data. The stream ends with the sandbox or the tenant.
     * @throws ControlError the sandbox refuses the stream or the connection breaks; resume with the `id` of the last
     * event.
     */
    events: stream('streamEvents', 'GET /tenants/:tenant/events'),
    /** Returns the current account. */
    show: call('showTenant', 'GET /tenants/:tenant'),
    /**
     * Changes settings, callback URL, products, advertisers, blacklist or expiry, or holds callbacks. Accepts account
     * fields in wire spelling, so you can pass an edited account.
     */
    update,
    /**
     * Returns which of the latest 200 leads an account change would decide differently. Accepts the same change as
     * `update`, but changes nothing.
     */
    preview: call('previewChange', 'POST /tenants/:tenant/preview', document),
    /** Returns all stored data of a broken tenant (one that could not be opened), as stored. */
    raw: call('exportRaw', 'GET /tenants/:tenant/raw'),
    /**
     * Resets the tenant to its initial state, with the same ids, keys and settings. Its callback URL and snapshots
     * stay. The previous state is saved as `before-reset`.
     */
    reset: call('resetTenant', 'POST /tenants/:tenant/reset'),
    /** Deletes the tenant with all its data and snapshots. This cannot be undone. */
    delete: call('deleteTenant', 'DELETE /tenants/:tenant'),
  }
}

/** The longest wait of a single call, milliseconds. */
const maxHoldMs = bounds.timeout_ms.max

/** Waits for a callback, in several calls if it takes longer than one may. */
async function waitForCallback(
  waitOnce: Method<'waitForCallback'>,
  { timeoutMs: leftMs = 5_000, ...wanted }: Options<'waitForCallback'>,
): Promise<Callback> {
  try {
    return await waitOnce({ ...wanted, timeoutMs: Math.min(leftMs, maxHoldMs) })
  } catch (error) {
    const isTimeUp = ControlError.is(error) && error.status === 404
    if (!isTimeUp || leftMs <= maxHoldMs) throw error
    return waitForCallback(waitOnce, { ...wanted, timeoutMs: leftMs - maxHoldMs })
  }
}
