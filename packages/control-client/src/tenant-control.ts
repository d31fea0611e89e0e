import type { ControlReply } from '@lead-distribution/simulator'
import { bounds } from '@lead-distribution/simulator/bounds'
import { createMethods, type Method, type Options, type Send } from './call-operation.ts'
import { ControlError } from './errors.ts'

/**
 * An account with its keys and secrets, to configure an application under test.
 * @category Sandbox
 */
export interface Account extends ControlReply<'showTenant'> {}

/**
 * A callback to the publisher, with all its attempts.
 * @category Sandbox
 */
export interface Callback extends ControlReply<'showCallback'> {}

/**
 * The control plane of one tenant. Options are in camelCase. Every method resolves to the response of the control plane, in
 * wire spelling.
 *
 * @throws ControlError from each method if the sandbox refuses the call or does not respond.
 * @throws PathError from each method if a name or an id cannot be part of a path. Nothing was sent.
 * @example
 * ```ts
 * await tenant.faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 }, times: 1 })
 * await tenant.clock.advance({ by: 'PT24H' })
 * const { leads } = await tenant.leads.list({ status: 'distributed' })
 * ```
 * @category Client
 */
export interface TenantControl extends Readonly<ReturnType<typeof createTenantControl>> {}

/** Creates the control of the tenant with this name: the table of its operations. Sends nothing. */
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
    /** The name of the tenant. */
    name: tenant,
    /** The leads of the tenant, and why each got its decision. */
    leads: {
      /**
       * Returns a page of the leads that match, as summaries, newest first. `include: 'submission'` adds what was submitted.
       * `limit`: from 1 to 500, default 50. If there are more, `next` of the response is the `before` of the next page.
       */
      list: call('listLeads', 'GET /tenants/:tenant/leads'),
      /** Returns a lead with its submission, trace, deliveries, postback URLs, events and callbacks. */
      show: call('showLead', 'GET /tenants/:tenant/leads/:lead_id'),
      /** Returns the service's response to a submission, valid or not, and the reasons, without submitting it. */
      explain: call('explainLead', 'POST /tenants/:tenant/leads/explain', document),
      /**
       * Returns the smallest file that reproduces the decision on a lead anywhere, without personal data.
       * `lead-sandbox repro run FILE` runs it.
       */
      repro: call('reproduceLead', 'GET /tenants/:tenant/leads/:lead_id/repro'),
      /** Returns the same file for the decision that a submission would get, even one that stores no lead. */
      reproSubmission: call('reproduceSubmission', 'POST /tenants/:tenant/leads/repro', document),
      /**
       * Makes the simulated advertiser report an event of a lead through the real endpoint. `repeat`: how often, from 1 to
       * 100, default 1.
       */
      trigger: call('triggerEvent', 'POST /tenants/:tenant/leads/:lead_id/trigger'),
    },
    /** The leads of the tenant, and among them the rejections that created no lead. */
    submissions: {
      /**
       * Returns a page of the submissions that match, newest first. A rejection that created no lead has the `request_id` of the
       * journal in place of a `lead_id`. `limit` and `before` as in `leads.list`.
       */
      list: call('listSubmissions', 'GET /tenants/:tenant/submissions'),
    },
    /** The callbacks of the tenant: list, show, wait for, resend. */
    callbacks: {
      /**
       * Returns a page of the callbacks that match, newest first; `limit` and `before` as in `leads.list`. `include: 'email'`
       * adds the customer's e-mail address.
       */
      list: call('listCallbacks', 'GET /tenants/:tenant/callbacks'),
      /** Returns a callback with all its attempts. */
      show: call('showCallback', 'GET /tenants/:tenant/callbacks/:callback_id'),
      /** Resends a callback in any state. */
      resend: call('resendCallback', 'POST /tenants/:tenant/callbacks/:callback_id/resend'),
      /** Resends all callbacks that failed since a date-time, or since a duration back from now. */
      recover: call('recoverCallbacks', 'POST /tenants/:tenant/callbacks/recover'),
      /**
       * Sends the callback of a lead and an event with changes: `edit` sets parameters of its query. It is marked as `synthetic`,
       * is tried once, and changes no other callback. `repeat`: how often; `late`: a duration until then.
       */
      send: call('sendCallback', 'POST /tenants/:tenant/callbacks'),
      /** Holds all callbacks, regardless of the clock. Attempts in flight have ended when this resolves. */
      hold: (): Promise<Account> => update({ callbacks_held: true }),
      /** Releases the callbacks. Those that are due are sent, in order, before this resolves. */
      release: (): Promise<Account> => update({ callbacks_held: false }),
      /**
       * Waits until a callback of a lead is delivered, for at most `timeoutMs`; 5000 by default.
       * @throws ControlError with the status 404 when the time is up.
       */
      wait: (options: Options<'waitForCallback'>): Promise<Callback> => waitForCallback(waitOnce, options),
    },
    /** A program that sends the callbacks to a receiver that the sandbox cannot reach, such as `lead-sandbox listen`. */
    listener: {
      /** Starts it: callbacks go through it until it ends. `since`: also resends what was sent since a time, or a duration. */
      start: call('startListener', 'POST /tenants/:tenant/listener'),
      /** Waits up to 5 s for callbacks to send. Call it again at once: while no call waits, callbacks are held. */
      take: call('takeCallbacks', 'POST /tenants/:tenant/listener/:listener_id/take', { holdMs: 5_000 }),
      /** Reports the receiver's `status`, or the `error` that there was instead. It decides the attempt. */
      report: call('reportForwarded', 'POST /tenants/:tenant/listener/:listener_id/deliveries/:delivery_id'),
      /** Ends it: callbacks go to the callback URL again. */
      end: call('endListener', 'DELETE /tenants/:tenant/listener/:listener_id'),
    },
    /** The sandbox's own receiver of callbacks. */
    inbox: {
      /**
       * Returns a page of the received callbacks, newest first, and the status it responds with; `limit` and `before` as in
       * `leads.list`.
       */
      show: call('showInbox', 'GET /tenants/:tenant/inbox'),
      /**
       * Makes it respond with another status, for example to make deliveries fail: `{ status: 503, times: 2 }`. `times` is the
       * number of callbacks; without it, until the next change.
       */
      change: call('changeInbox', 'PATCH /tenants/:tenant/inbox'),
    },
    /** The clock of the tenant. */
    clock: {
      /** Returns the mode and the time of the clock. */
      show: call('showClock', 'GET /tenants/:tenant/clock'),
      /** Returns the jobs that fall due, the next one first: callbacks, and events that simulated advertisers will report. */
      agenda: call('showAgenda', 'GET /tenants/:tenant/clock/agenda'),
      /** Stops the clock. */
      freeze: (): Promise<ControlReply<'changeClock'>> => changeClock({ freeze: true }),
      /** Sets the clock forward to a date-time with a zone. */
      set: (time: string): Promise<ControlReply<'changeClock'>> => changeClock({ set: time }),
      /** Lets the clock run again. */
      resume: (): Promise<ControlReply<'changeClock'>> => changeClock({ resume: true }),
      /** Advances the clock by an ISO 8601 duration. Everything that falls due runs, in order, before this resolves. */
      advance: call('advanceClock', 'POST /tenants/:tenant/clock/advance'),
    },
    /** Failures to inject into requests and callbacks. */
    faults: {
      /**
       * Adds a fault: one effect on the calls, or on the callbacks, that match. `times` and `after` count calls: how many it
       * acts on, and how many it lets pass before. `probability` is the share of them, from 0 to 1. Of the effects,
       * `latency_ms` is in milliseconds, `retry_after` in seconds, `duplicate` the number of further deliveries.
       */
      add: call('addFault', 'POST /tenants/:tenant/faults'),
      /** Returns the faults in the order in which they are matched, with the number of calls that each matched and acted on. */
      list: call('listFaults', 'GET /tenants/:tenant/faults'),
      /** Removes one. */
      remove: call('removeFault', 'DELETE /tenants/:tenant/faults/:fault_id'),
      /** Removes all. */
      clear: call('clearFaults', 'DELETE /tenants/:tenant/faults'),
    },
    /** The journal of requests to the service, redacted. */
    requests: {
      /** Returns a page of the requests that match, newest first; `limit` and `before` as in `leads.list`. */
      list: call('listRequests', 'GET /tenants/:tenant/requests'),
      /** Returns a request. For a submission that created no lead, it has every check of the decision. */
      show: call('showRequest', 'GET /tenants/:tenant/requests/:request_id'),
    },
    /** Snapshots of the whole tenant. */
    snapshots: {
      /** Saves the tenant under a name. Replaces a snapshot of the same name. */
      save: (name: string): Promise<ControlReply<'saveSnapshot'>> => saveSnapshot({ name }),
      /** Returns the name of each snapshot and when it was saved, oldest first. */
      list: call('listSnapshots', 'GET /tenants/:tenant/snapshots'),
      /** Restores the tenant from a snapshot, including its clock. The state before is the snapshot `before-restore`. */
      restore: call('restoreSnapshot', 'POST /tenants/:tenant/snapshots/:name/restore'),
      /** Deletes a snapshot. The tenant does not change. */
      delete: call('deleteSnapshot', 'DELETE /tenants/:tenant/snapshots/:name'),
      /** Returns a snapshot as a file: NDJSON. It contains the tenant's seed, from which its keys are derived. */
      export: call('exportSnapshot', 'GET /tenants/:tenant/snapshots/:name/file', { responds: 'text' }),
      /** Saves a file as a snapshot of a tenant with the same name and seed. Restore the snapshot to use it. */
      import: call('importSnapshot', 'POST /tenants/:tenant/snapshots/:name/file', { sends: 'lines' }),
    },
    /** Tokens that open only this tenant, for a shared sandbox. Require the admin token. */
    tokens: {
      /** Creates a token. Its text is shown only now: pass it as `adminToken` of a client of this tenant. */
      create: call('createToken', 'POST /tenants/:tenant/tokens'),
      /** Returns the tokens without their texts. */
      list: call('listTokens', 'GET /tenants/:tenant/tokens'),
      /** Revokes a token: it no longer opens anything. */
      revoke: call('revokeToken', 'DELETE /tenants/:tenant/tokens/:token_id'),
    },
    /** The hosts besides the sandbox's machine that the tenant's callbacks may go to. Changes require the admin token. */
    hosts: {
      /** Allows a host by its name. */
      allow: (host: string): Promise<ControlReply<'allowHost'>> => allowHost({ host }),
      /** Returns the allowed hosts. */
      list: call('listHosts', 'GET /tenants/:tenant/hosts'),
      /** Removes a host: callbacks to it fail from now on. */
      remove: call('removeHost', 'DELETE /tenants/:tenant/hosts/:host'),
    },
    /**
     * Returns counts for charts: submissions over time, rejection reasons, callbacks by state, and the duration of calls.
     * `period`: the last hour or day of the tenant's clock.
     */
    activity: call('showActivity', 'GET /tenants/:tenant/activity'),
    /**
     * Returns the outcomes, reasons, errors and events that your integration has seen, and how to see the others. `origin`: what
     * the `console` or the `command-line` did instead.
     */
    coverage: call('showCoverage', 'GET /tenants/:tenant/coverage'),
    /** Diagnoses a postback URL check by check. Changes nothing. */
    diagnosePostback: (url: string): Promise<ControlReply<'diagnosePostback'>> => diagnose({ url }),
    /**
     * Streams what happens to the tenant: leads, callbacks, requests, clock, faults. The first event is `ready`, or `reset`
     * if `lastEventId` is too old; after it, no event is missing. A later `reset` means that events were dropped because you
     * read too slowly: reload what you show. The stream ends with the sandbox or the tenant.
     * @throws ControlError if the sandbox refuses it or the connection breaks: continue with the `id` of the last event.
     */
    events: stream('streamEvents', 'GET /tenants/:tenant/events'),
    /** Returns the current account. */
    show: call('showTenant', 'GET /tenants/:tenant'),
    /**
     * Changes settings, callback URL, products, advertisers, blacklist or expiry, and holds callbacks. Takes fields of the
     * account in wire spelling, so an edited account too.
     */
    update,
    /**
     * Returns which of the latest 200 leads an account change would decide differently. Takes the same change as `update`, and
     * changes nothing.
     */
    preview: call('previewChange', 'POST /tenants/:tenant/preview', document),
    /** Returns everything stored of a broken tenant, one that could not be opened, as it is stored. */
    raw: call('exportRaw', 'GET /tenants/:tenant/raw'),
    /**
     * Resets the tenant to its creation, with the same ids, keys and settings. Keeps its callback URL and its snapshots.
     * The state before is the snapshot `before-reset`.
     */
    reset: call('resetTenant', 'POST /tenants/:tenant/reset'),
    /** Deletes the tenant and everything in it, its snapshots too. This cannot be undone. */
    delete: call('deleteTenant', 'DELETE /tenants/:tenant'),
  }
}

/** The longest wait of one call, milliseconds. */
const maxHoldMs = bounds.timeout_ms.max

/** Waits for a callback, by several calls if it takes longer than one may. */
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
