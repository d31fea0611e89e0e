import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { scenarioHeader } from '@lead-distribution/simulator/paths'
import type { CallOperation, StreamOperation } from './call-operation.ts'
import { type CallbackControl, waitForCallback } from './callback-control.ts'
import type { EventOptions, SandboxEvent } from './event-stream.ts'

/** An account, keys and secrets included: what an application under test is set up with. */
export type Account = ControlReply<'showTenant'>

/**
 * The control plane of one tenant. Every method resolves to the reply of the control plane, in the spelling of the wire.
 *
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
    list(filter?: ControlInput<'listLeads'>): Promise<ControlReply<'listLeads'>>
    /** A lead with its trace, deliveries, postback URLs, events and callbacks. */
    show(leadId: string): Promise<ControlReply<'showLead'>>
    /** What the service would answer to a submission, right or wrong, and why; changes nothing. */
    explain(submission: unknown, options?: ExplainOptions): Promise<ControlReply<'explainLead'>>
    /** Has the simulated advertiser report an event of a lead through the real endpoint. */
    trigger(leadId: string, report: ControlInput<'triggerEvent'>): Promise<ControlReply<'triggerEvent'>>
  }
  /** The callbacks of the tenant: list, show, wait for, resend. */
  readonly callbacks: CallbackControl
  /** The receiver of callbacks that the sandbox itself has. */
  readonly inbox: {
    /** What it received, newest first, and how it answers. */
    show(filter?: ControlInput<'showInbox'>): Promise<ControlReply<'showInbox'>>
    /** Makes it answer another status, so that deliveries fail: `{ status: 503, times: 2 }`. */
    change(mode: ControlInput<'changeInbox'>): Promise<ControlReply<'changeInbox'>>
  }
  /** The clock of the tenant. */
  readonly clock: {
    show(): Promise<ControlReply<'showClock'>>
    /** What falls due on it, the next first: callbacks, and what the simulated advertiser is to report. */
    agenda(): Promise<ControlReply<'showAgenda'>>
    freeze(): Promise<ControlReply<'changeClock'>>
    /** Sets it forward to a date-time with a zone. */
    set(time: string): Promise<ControlReply<'changeClock'>>
    resume(): Promise<ControlReply<'changeClock'>>
    /** Advances it by an ISO 8601 duration. All that falls due runs in order, before this resolves. */
    advance(advance: ControlInput<'advanceClock'>): Promise<ControlReply<'advanceClock'>>
  }
  /** Failures that are injected into calls and callbacks. */
  readonly faults: {
    add(fault: ControlInput<'addFault'>): Promise<ControlReply<'addFault'>>
    list(): Promise<ControlReply<'listFaults'>>
    remove(faultId: string): Promise<ControlReply<'removeFault'>>
    clear(): Promise<ControlReply<'clearFaults'>>
  }
  /** The journal: the calls of the service, redacted. */
  readonly requests: {
    list(filter?: ControlInput<'listRequests'>): Promise<ControlReply<'listRequests'>>
    /** A call; of a submission that created no lead, with every check of the decision. */
    show(requestId: string): Promise<ControlReply<'showRequest'>>
  }
  /** The whole state of the tenant, kept to be restored. */
  readonly snapshots: {
    save(name: string): Promise<ControlReply<'saveSnapshot'>>
    list(): Promise<ControlReply<'listSnapshots'>>
    restore(name: string): Promise<Account>
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
    list(): Promise<ControlReply<'listTokens'>>
    revoke(tokenId: string): Promise<ControlReply<'revokeToken'>>
  }
  /** The hosts that callbacks of this tenant may go to besides the sandbox's own machine. Changes take the admin token. */
  readonly hosts: {
    allow(host: string): Promise<ControlReply<'allowHost'>>
    list(): Promise<ControlReply<'listHosts'>>
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

/** Makes the control plane of the tenant of this name; sends nothing. */
export function createTenantControl(call: CallOperation, stream: StreamOperation, tenant: string): TenantControl {
  const of = { tenant }
  const update: TenantControl['update'] = change => call('changeTenant', of, change)
  return {
    name: tenant,
    leads: {
      list: filter => call('listLeads', of, filter),
      show: lead_id => call('showLead', { tenant, lead_id }),
      explain: (submission, { scenario } = {}) =>
        call('explainLead', of, submission, scenario === undefined ? {} : { headers: { [scenarioHeader]: scenario } }),
      trigger: (lead_id, report) => call('triggerEvent', { tenant, lead_id }, report),
    },
    callbacks: {
      list: filter => call('listCallbacks', of, filter),
      show: callback_id => call('showCallback', { tenant, callback_id }),
      resend: callback_id => call('resendCallback', { tenant, callback_id }),
      recover: since => call('recoverCallbacks', of, since),
      hold: () => update({ callbacks_held: true }),
      release: () => update({ callbacks_held: false }),
      wait: wanted => waitForCallback(call, tenant, wanted),
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
      restore: name => call('restoreSnapshot', { tenant, name }),
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
    coverage: () => call('showCoverage', of),
    events: options => stream('streamEvents', of, options),
    diagnosePostback: url => call('diagnosePostback', of, { url }),
    show: () => call('showTenant', of),
    update,
    reset: () => call('resetTenant', of),
    delete: () => call('deleteTenant', of),
  }
}
