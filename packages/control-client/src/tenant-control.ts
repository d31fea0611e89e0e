import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import type { CallbackControl } from './callback-control.ts'
import type { EventOptions, SandboxEvent } from './event-stream.ts'

/** An account, keys and secrets included: what an application under test is set up with. */
export interface Account extends ControlReply<'showTenant'> {}

/**
 * The control plane of one tenant. Every method resolves to the reply of the control plane, in the spelling of the wire.
 *
 * @throws ControlError each method, where the sandbox refuses the call, or does not reply.
 * @throws PathError each method, where a name or an id cannot be part of a path; nothing was sent.
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
  /** The leads of the tenant, and why each was decided so. */
  readonly leads: {
    /** The leads that match, newest first; `limit` is how many come at most. */
    list(filter?: ControlInput<'listLeads'>): Promise<ControlReply<'listLeads'>>
    /** A lead with its trace, deliveries, postback URLs, events and callbacks. */
    show(leadId: string): Promise<ControlReply<'showLead'>>
    /** What the service would answer to a submission, right or wrong, and why; changes nothing. */
    explain(submission: unknown, options?: ExplainOptions): Promise<ControlReply<'explainLead'>>
    /** Has the simulated advertiser report an event of a lead through the real endpoint; `repeat` is how many times. */
    trigger(leadId: string, report: ControlInput<'triggerEvent'>): Promise<ControlReply<'triggerEvent'>>
  }
  /** The callbacks of the tenant: list, show, wait for, resend. */
  readonly callbacks: CallbackControl
  /** The receiver of callbacks that the sandbox itself has. */
  readonly inbox: {
    /** What it received, newest first, and how it answers; `limit` is how many requests come at most. */
    show(filter?: ControlInput<'showInbox'>): Promise<ControlReply<'showInbox'>>
    /** Makes it answer another status this many `times`, so that deliveries fail: `{ status: 503, times: 2 }`. */
    change(mode: ControlInput<'changeInbox'>): Promise<ControlReply<'changeInbox'>>
  }
  /** The clock of the tenant. */
  readonly clock: {
    /** What time it is for the tenant, and whether its clock is frozen. */
    show(): Promise<ControlReply<'showClock'>>
    /** What falls due on it, the next first: callbacks, and what the simulated advertiser is to report. */
    agenda(): Promise<ControlReply<'showAgenda'>>
    /** Stops it where it is. */
    freeze(): Promise<ControlReply<'changeClock'>>
    /** Sets it forward to a date-time with a zone. */
    set(time: string): Promise<ControlReply<'changeClock'>>
    /** Lets it run on from where it is. */
    resume(): Promise<ControlReply<'changeClock'>>
    /** Advances it by an ISO 8601 duration. All that falls due runs in order, before this resolves. */
    advance(advance: ControlInput<'advanceClock'>): Promise<ControlReply<'advanceClock'>>
  }
  /** Failures that are injected into calls and callbacks. */
  readonly faults: {
    /**
     * Adds a fault: one effect on the calls, or on the callbacks, that match. `times` and `after` count calls: how many it
     * acts on, and how many it lets pass before. `probability` is the share of them, from 0 to 1. Of the effects,
     * `latency_ms` is in milliseconds, `retry_after` in seconds, `duplicate` the number of further deliveries.
     */
    add(fault: ControlInput<'addFault'>): Promise<ControlReply<'addFault'>>
    /** The faults, in the order in which they are asked; how often each matched, and acted. */
    list(): Promise<ControlReply<'listFaults'>>
    /** Removes one. */
    remove(faultId: string): Promise<ControlReply<'removeFault'>>
    /** Removes all. */
    clear(): Promise<ControlReply<'clearFaults'>>
  }
  /** The journal: the calls of the service, redacted. */
  readonly requests: {
    /** The calls that match, newest first; `limit` is how many come at most. */
    list(filter?: ControlInput<'listRequests'>): Promise<ControlReply<'listRequests'>>
    /** A call; of a submission that created no lead, with every check of the decision. */
    show(requestId: string): Promise<ControlReply<'showRequest'>>
  }
  /** The whole state of the tenant, kept to be restored. */
  readonly snapshots: {
    /** Keeps the present state under a name; replaces a snapshot of that name. */
    save(name: string): Promise<ControlReply<'saveSnapshot'>>
    /** The names, and when each was saved. */
    list(): Promise<ControlReply<'listSnapshots'>>
    /** Puts the tenant back to a snapshot, its clock included. */
    restore(name: string): Promise<Account>
    /** Deletes a snapshot; the tenant does not change. */
    delete(name: string): Promise<ControlReply<'deleteSnapshot'>>
    /** A snapshot as a file, with the seed and the keys of the tenant. */
    export(name: string): Promise<ControlReply<'exportSnapshot'>>
    /** Imports such a file under a name, into a tenant with the name and the seed of its own; restore it then. */
    import(name: string, file: unknown): Promise<ControlReply<'importSnapshot'>>
  }
  /** Tokens that open this tenant only, for a sandbox that others reach. They take the admin token. */
  readonly tokens: {
    /** The `token` of the reply is shown this once: pass it as `adminToken` of a client of this tenant. */
    create(token: ControlInput<'createToken'>): Promise<ControlReply<'createToken'>>
    /** The tokens without their secret part. */
    list(): Promise<ControlReply<'listTokens'>>
    /** Makes a token useless from now on. */
    revoke(tokenId: string): Promise<ControlReply<'revokeToken'>>
  }
  /** The hosts that callbacks of this tenant may go to besides the sandbox's own machine. Changes take the admin token. */
  readonly hosts: {
    /** Allows a host, by its name. */
    allow(host: string): Promise<ControlReply<'allowHost'>>
    /** The hosts that are allowed besides the sandbox's own machine. */
    list(): Promise<ControlReply<'listHosts'>>
    /** Allows a host no longer. */
    remove(host: string): Promise<ControlReply<'removeHost'>>
  }
  /** Which outcomes, reasons, errors and events the tenant has seen, and how to see the others. */
  coverage(): Promise<ControlReply<'showCoverage'>>
  /** Diagnoses a postback URL check by check; fires nothing. */
  diagnosePostback(url: string): Promise<ControlReply<'diagnosePostback'>>
  /**
   * What happens to the tenant while it happens: leads, callbacks, calls, clock, faults. The first event is `ready`, or
   * `reset` where `lastEventId` is too old; what is read after it misses nothing. It ends with the sandbox or the tenant.
   * @throws ControlError where the sandbox refuses it or the connection breaks: go on with the `id` of the last event.
   */
  events(options?: EventOptions): AsyncIterableIterator<SandboxEvent>
  /** The current account. */
  show(): Promise<Account>
  /** Changes settings, callback URL, products, advertisers, blacklist or expiry, and holds callbacks. Takes an account as `show` has it, edited, too. */
  update(change: ControlInput<'changeTenant'>): Promise<Account>
  /** All that is stored of the tenant, as it is stored, where it is broken: it could not be opened. */
  raw(): Promise<ControlReply<'exportRaw'>>
  /** Back to its creation: same ids, keys and settings; no leads, faults, callbacks or journal. Its callback URL stays. */
  reset(): Promise<Account>
  /** Deletes the tenant and everything in it. */
  delete(): Promise<ControlReply<'deleteTenant'>>
}

/** How a submission is explained. */
export interface ExplainOptions {
  /** The scenario that it names by a header, such as `age_restriction`. */
  readonly scenario?: string | undefined
}
