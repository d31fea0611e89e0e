import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { controlBounds, scenarioHeader } from '@lead-distribution/simulator/paths'
import type { CallOperation, StreamOperation } from './call-operation.ts'
import { ControlError } from './control-error.ts'
import type { EventOptions, SandboxEvent } from './event-stream.ts'

/** An account with its keys and secrets, to configure an application under test. */
export interface Account extends ControlReply<'showTenant'> {}

/**
 * The control plane of one tenant. Every method resolves to the response of the control plane, in wire spelling.
 *
 * @throws ControlError from each method if the sandbox refuses the call or does not respond.
 * @throws PathError from each method if a name or an id cannot be part of a path. Nothing was sent.
 * @example
 * ```ts
 * await tenant.faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 }, times: 1 })
 * await tenant.clock.advance({ by: 'PT24H' })
 * const { leads } = await tenant.leads.list({ status: 'distributed' })
 * ```
 */
export interface TenantControl {
  /** The name of the tenant. */
  readonly name: string
  /** The leads of the tenant, and why each got its decision. */
  readonly leads: {
    /**
     * Returns a page of the leads that match, as summaries, newest first. `include: 'submission'` adds what was submitted.
     * `limit`: from 1 to 500, default 50. If there are more, `next` of the response is the `before` of the next page.
     */
    list(filter?: ControlInput<'listLeads'>): Promise<ControlReply<'listLeads'>>
    /** Returns a lead with its submission, trace, deliveries, postback URLs, events and callbacks. */
    show(leadId: string): Promise<ControlReply<'showLead'>>
    /** Returns the service's response to a submission, valid or not, and the reasons, without submitting it. */
    explain(submission: unknown, options?: ExplainOptions): Promise<ControlReply<'explainLead'>>
    /**
     * Returns the smallest file that reproduces the decision on a lead anywhere, without personal data.
     * `lead-sandbox repro run FILE` runs it.
     */
    repro(leadId: string): Promise<ControlReply<'reproduceLead'>>
    /** Returns the same file for the decision that a submission would get, even one that stores no lead. */
    reproSubmission(submission: unknown, options?: ExplainOptions): Promise<ControlReply<'reproduceSubmission'>>
    /**
     * Makes the simulated advertiser report an event of a lead through the real endpoint. `repeat`: how often, from 1 to
     * 100, default 1.
     */
    trigger(leadId: string, report: ControlInput<'triggerEvent'>): Promise<ControlReply<'triggerEvent'>>
  }
  /** The callbacks of the tenant: list, show, wait for, resend. */
  readonly callbacks: CallbackControl
  /** A program that sends the callbacks to a receiver that the sandbox cannot reach, such as `lead-sandbox listen`. */
  readonly listener: {
    /** Starts it: callbacks go through it until it ends. `since`: also resends what was sent since a time, or a duration. */
    start(listener: ControlInput<'startListener'>): Promise<ControlReply<'startListener'>>
    /** Waits up to 5 s for callbacks to send. Call it again at once: while no call waits, callbacks are held. */
    take(listenerId: string): Promise<ControlReply<'takeCallbacks'>>
    /** Reports the receiver's `status`, or the `error` that there was instead. It decides the attempt. */
    report(
      listenerId: string,
      deliveryId: string,
      response: ControlInput<'reportForwarded'>,
    ): Promise<ControlReply<'reportForwarded'>>
    /** Ends it: callbacks go to the callback URL again. */
    end(listenerId: string): Promise<ControlReply<'endListener'>>
  }
  /** The sandbox's own receiver of callbacks. */
  readonly inbox: {
    /**
     * Returns a page of the received callbacks, newest first, and the status it responds with; `limit` and `before` as in
     * `leads.list`.
     */
    show(filter?: ControlInput<'showInbox'>): Promise<ControlReply<'showInbox'>>
    /**
     * Makes it respond with another status, for example to make deliveries fail: `{ status: 503, times: 2 }`. `times` is the
     * number of callbacks; without it, until the next change.
     */
    change(mode: ControlInput<'changeInbox'>): Promise<ControlReply<'changeInbox'>>
  }
  /** The clock of the tenant. */
  readonly clock: {
    /** Returns the mode and the time of the clock. */
    show(): Promise<ControlReply<'showClock'>>
    /** Returns the jobs that fall due, the next one first: callbacks, and events that simulated advertisers will report. */
    agenda(): Promise<ControlReply<'showAgenda'>>
    /** Stops the clock. */
    freeze(): Promise<ControlReply<'changeClock'>>
    /** Sets the clock forward to a date-time with a zone. */
    set(time: string): Promise<ControlReply<'changeClock'>>
    /** Lets the clock run again. */
    resume(): Promise<ControlReply<'changeClock'>>
    /** Advances the clock by an ISO 8601 duration. Everything that falls due runs, in order, before this resolves. */
    advance(advance: ControlInput<'advanceClock'>): Promise<ControlReply<'advanceClock'>>
  }
  /** Failures to inject into requests and callbacks. */
  readonly faults: {
    /**
     * Adds a fault: one effect on the calls, or on the callbacks, that match. `times` and `after` count calls: how many it
     * acts on, and how many it lets pass before. `probability` is the share of them, from 0 to 1. Of the effects,
     * `latency_ms` is in milliseconds, `retry_after` in seconds, `duplicate` the number of further deliveries.
     */
    add(fault: ControlInput<'addFault'>): Promise<ControlReply<'addFault'>>
    /** Returns the faults in the order in which they are matched, with the number of calls that each matched and acted on. */
    list(): Promise<ControlReply<'listFaults'>>
    /** Removes one. */
    remove(faultId: string): Promise<ControlReply<'removeFault'>>
    /** Removes all. */
    clear(): Promise<ControlReply<'clearFaults'>>
  }
  /** The journal of requests to the service, redacted. */
  readonly requests: {
    /** Returns a page of the requests that match, newest first; `limit` and `before` as in `leads.list`. */
    list(filter?: ControlInput<'listRequests'>): Promise<ControlReply<'listRequests'>>
    /** Returns a request. For a submission that created no lead, it has every check of the decision. */
    show(requestId: string): Promise<ControlReply<'showRequest'>>
  }
  /** Snapshots of the whole tenant. */
  readonly snapshots: {
    /** Saves the tenant under a name. Replaces a snapshot of the same name. */
    save(name: string): Promise<ControlReply<'saveSnapshot'>>
    /** Returns the name of each snapshot, when it was saved and, for an automatic one, when it is deleted. */
    list(): Promise<ControlReply<'listSnapshots'>>
    /** Restores the tenant from a snapshot, including its clock. */
    restore(name: string, options?: UndoOptions): Promise<ControlReply<'restoreSnapshot'>>
    /** Deletes a snapshot. The tenant does not change. */
    delete(name: string): Promise<ControlReply<'deleteSnapshot'>>
    /** Returns a snapshot as a file. It contains the tenant's seed, from which its keys are derived. */
    export(name: string): Promise<ControlReply<'exportSnapshot'>>
    /** Saves a file as a snapshot of a tenant with the same name and seed. Restore the snapshot to use it. */
    import(name: string, file: unknown): Promise<ControlReply<'importSnapshot'>>
  }
  /** Tokens that open only this tenant, for a shared sandbox. Require the admin token. */
  readonly tokens: {
    /** Creates a token. Its text is shown only now: pass it as `adminToken` of a client of this tenant. */
    create(token: ControlInput<'createToken'>): Promise<ControlReply<'createToken'>>
    /** Returns the tokens without their texts. */
    list(): Promise<ControlReply<'listTokens'>>
    /** Revokes a token: it no longer opens anything. */
    revoke(tokenId: string): Promise<ControlReply<'revokeToken'>>
  }
  /** The hosts besides the sandbox's machine that the tenant's callbacks may go to. Changes require the admin token. */
  readonly hosts: {
    /** Allows a host by its name. */
    allow(host: string): Promise<ControlReply<'allowHost'>>
    /** Returns the allowed hosts. */
    list(): Promise<ControlReply<'listHosts'>>
    /** Removes a host: callbacks to it fail from now on. */
    remove(host: string): Promise<ControlReply<'removeHost'>>
  }
  /**
   * Returns counts for charts: leads over time, rejection reasons, callbacks by state, and the duration of calls.
   * `period`: the last hour or day of the tenant's clock.
   */
  activity(query?: ControlInput<'showActivity'>): Promise<ControlReply<'showActivity'>>
  /** Returns the outcomes, reasons, errors and events that the tenant has seen, and how to see the others. */
  coverage(): Promise<ControlReply<'showCoverage'>>
  /** Diagnoses a postback URL check by check. Changes nothing. */
  diagnosePostback(url: string): Promise<ControlReply<'diagnosePostback'>>
  /**
   * Streams what happens to the tenant: leads, callbacks, requests, clock, faults. The first event is `ready`, or `reset`
   * if `lastEventId` is too old; after it, no event is missing. The stream ends with the sandbox or the tenant.
   * @throws ControlError if the sandbox refuses it or the connection breaks: continue with the `id` of the last event.
   */
  events(options?: EventOptions): AsyncIterableIterator<SandboxEvent>
  /** Returns the current account. */
  show(): Promise<Account>
  /**
   * Changes settings, callback URL, products, advertisers, blacklist or expiry, and holds callbacks. Also accepts an edited
   * account.
   */
  update(change: ControlInput<'changeTenant'>): Promise<Account>
  /** Returns everything stored of a broken tenant, one that could not be opened, as it is stored. */
  raw(): Promise<ControlReply<'exportRaw'>>
  /** Resets the tenant to its creation, with the same ids, keys and settings. Keeps its callback URL and its snapshots. */
  reset(options?: UndoOptions): Promise<ControlReply<'resetTenant'>>
  /** Deletes the tenant and everything in it. With `undo`, {@link undelete} brings it back. */
  delete(options?: UndoOptions): Promise<ControlReply<'deleteTenant'>>
  /** Brings the tenant back after `delete({ undo: true })`, with its keys, tokens and snapshots. */
  undelete(): Promise<Account>
}

/** Options of a change that loses something. */
export interface UndoOptions {
  /**
   * Keeps the state before the change for an hour; `undo` of the response tells until when. After a reset or a restore,
   * restore the snapshot that it names; after a deletion, call `undelete`. Default: false, because a copy takes time and
   * space.
   */
  readonly undo?: boolean | undefined
}

/** Options of an explanation or a repro file. */
export interface ExplainOptions {
  /** The scenario that a header of the submission names, such as `age_restriction`. */
  readonly scenario?: string | undefined
}

/** A callback to the publisher, with all its attempts. */
export interface Callback extends ControlReply<'showCallback'> {}

/**
 * The callbacks of a tenant.
 * @throws ControlError from each method if the sandbox refuses the call or does not respond.
 * @throws PathError from each method if a name or an id cannot be part of a path. Nothing was sent.
 */
export interface CallbackControl {
  /** Returns a page of the callbacks that match, newest first; `limit` and `before` as in `leads.list`. */
  list(filter?: ControlInput<'listCallbacks'>): Promise<ControlReply<'listCallbacks'>>
  /** Returns a callback with all its attempts. */
  show(callbackId: string): Promise<Callback>
  /** Resends a callback in any state. */
  resend(callbackId: string): Promise<Callback>
  /** Resends all callbacks that failed since a date-time, or since a duration back from now. */
  recover(since: ControlInput<'recoverCallbacks'>): Promise<ControlReply<'recoverCallbacks'>>
  /**
   * Sends the callback of a lead and an event with changes: `edit` sets parameters of its query. It is marked as `synthetic`,
   * is tried once, and changes no other callback. `repeat`: how often; `late`: a duration until then.
   */
  send(callback: ControlInput<'sendCallback'>): Promise<ControlReply<'sendCallback'>>
  /** Holds all callbacks, regardless of the clock. Attempts in flight have ended when this resolves. */
  hold(): Promise<ControlReply<'changeTenant'>>
  /** Releases the callbacks. Those that are due are sent, in order, before this resolves. */
  release(): Promise<ControlReply<'changeTenant'>>
  /**
   * Waits until a callback of a lead is delivered, for at most `timeout_ms`, up to 60,000; 5000 by default.
   * @throws ControlError with the status 404 when the time is up.
   */
  wait(wanted: ControlInput<'waitForCallback'>): Promise<Callback>
}

/** Creates the control of the tenant with this name. Sends nothing. */
export function createTenantControl(call: CallOperation, stream: StreamOperation, tenant: string): TenantControl {
  const of = { tenant }
  const update: TenantControl['update'] = change => call('changeTenant', of, change)
  return {
    name: tenant,
    leads: {
      list: filter => call('listLeads', of, filter),
      show: lead_id => call('showLead', { tenant, lead_id }),
      explain: (submission, options) => call('explainLead', of, submission, withScenario(options)),
      repro: lead_id => call('reproduceLead', { tenant, lead_id }),
      reproSubmission: (submission, options) => call('reproduceSubmission', of, submission, withScenario(options)),
      trigger: (lead_id, report) => call('triggerEvent', { tenant, lead_id }, report),
    },
    callbacks: {
      list: filter => call('listCallbacks', of, filter),
      show: callback_id => call('showCallback', { tenant, callback_id }),
      resend: callback_id => call('resendCallback', { tenant, callback_id }),
      recover: since => call('recoverCallbacks', of, since),
      send: callback => call('sendCallback', of, callback),
      hold: () => update({ callbacks_held: true }),
      release: () => update({ callbacks_held: false }),
      wait: wanted => waitForCallback(call, tenant, wanted),
    },
    listener: {
      start: listener => call('startListener', of, listener),
      take: listener_id => call('takeCallbacks', { tenant, listener_id }, {}, { holdMs: 5_000 }),
      report: (listener_id, delivery_id, response) =>
        call('reportForwarded', { tenant, listener_id, delivery_id }, response),
      end: listener_id => call('endListener', { tenant, listener_id }),
    },
    inbox: {
      show: filter => call('showInbox', of, filter),
      change: mode => call('changeInbox', of, mode),
    },
    clock: {
      show: () => call('showClock', of),
      agenda: () => call('showAgenda', of),
      freeze: () => call('changeClock', of, { freeze: true }),
      set: time => call('changeClock', of, { set: time }),
      resume: () => call('changeClock', of, { resume: true }),
      advance: advance => call('advanceClock', of, advance),
    },
    faults: {
      add: fault => call('addFault', of, fault),
      list: () => call('listFaults', of),
      remove: fault_id => call('removeFault', { tenant, fault_id }),
      clear: () => call('clearFaults', of),
    },
    requests: {
      list: filter => call('listRequests', of, filter),
      show: request_id => call('showRequest', { tenant, request_id }),
    },
    snapshots: {
      save: name => call('saveSnapshot', of, { name }),
      list: () => call('listSnapshots', of),
      restore: (name, { undo } = {}) => call('restoreSnapshot', { tenant, name }, {}, { query: undoable(undo) }),
      delete: name => call('deleteSnapshot', { tenant, name }),
      export: name => call('exportSnapshot', { tenant, name }),
      import: (name, file) => call('importSnapshot', { tenant, name }, file),
    },
    tokens: {
      create: token => call('createToken', of, token),
      list: () => call('listTokens', of),
      revoke: token_id => call('revokeToken', { tenant, token_id }),
    },
    hosts: {
      allow: host => call('allowHost', of, { host }),
      list: () => call('listHosts', of),
      remove: host => call('removeHost', { tenant, host }),
    },
    activity: query => call('showActivity', of, query),
    coverage: () => call('showCoverage', of),
    events: options => stream('streamEvents', of, options),
    diagnosePostback: url => call('diagnosePostback', of, { url }),
    show: () => call('showTenant', of),
    update,
    raw: () => call('exportRaw', of),
    reset: ({ undo } = {}) => call('resetTenant', of, {}, { query: undoable(undo) }),
    delete: ({ undo } = {}) => call('deleteTenant', of, undoable(undo)),
    undelete: () => call('undeleteTenant', { deleted: tenant }),
  }
}

const undoable = (undo = false): { undo?: 'true' } => (undo ? { undo: 'true' } : {})

const withScenario = ({ scenario }: ExplainOptions = {}) =>
  scenario === undefined ? {} : { headers: { [scenarioHeader]: scenario } }

/** The longest wait of one call, milliseconds. */
const longestHoldMs = controlBounds.timeout_ms.max

/** Waits for a callback, by several calls if it takes longer than one may. */
async function waitForCallback(
  call: CallOperation,
  tenant: string,
  { timeout_ms: leftMs = 5_000, ...wanted }: ControlInput<'waitForCallback'>,
): Promise<Callback> {
  const timeout_ms = Math.min(leftMs, longestHoldMs)
  try {
    return await call('waitForCallback', { tenant }, { ...wanted, timeout_ms }, { holdMs: timeout_ms })
  } catch (error) {
    const isTimeUp = error instanceof ControlError && error.status === 404
    if (!isTimeUp || leftMs <= longestHoldMs) throw error
    return waitForCallback(call, tenant, { ...wanted, timeout_ms: leftMs - longestHoldMs })
  }
}
