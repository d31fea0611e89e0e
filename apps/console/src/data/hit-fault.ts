import { scenarioAddress } from '@lead-distribution/contract/test-leads'
import type { Account, TenantControl } from '@lead-distribution/control-client'
import { choices, draftOf, newUuid, writeField } from './draft.ts'
import { callsBefore, type Fault } from './fault-timing.ts'
import { sandbox } from './sandbox.ts'
import { submit } from './submission.ts'

/** The largest number of calls that are sent to reach a fault which lets some through first. */
export const mostCalls = 20

/** The effect of a fault on the call or the callback that hit it. */
export interface Hit {
  readonly lead_id?: string | undefined
  /** Undefined if the fault acts on callbacks. */
  readonly call?: { readonly request_id: string; readonly status: number; readonly broken?: string | undefined }
  readonly callback?: { readonly callback_id: string; readonly state: string }
}

/** A tenant with its account and its time. */
export interface Context {
  readonly tenant: string
  readonly account: Account
  readonly today: Date
}

/**
 * Sends what a fault acts on next: a test lead, and for a fault of anything else an event of it.
 * @throws Error if the fault didn't act. The message says what happened.
 */
export async function hitFault(fault: Fault, context: Context): Promise<Hit> {
  const control = sandbox.control(context.tenant)
  const { fault_id, match } = fault
  const calls = callsBefore(fault) + 1
  if (match.operation === 'submitLead') {
    for (let sent = 0; sent < calls; sent++) await sendTestLead(context, match.scenario)
    return findCall(control, fault_id, context)
  }
  const lead_id = await distributedLead(context, match.scenario)
  if (match.operation === 'callback') {
    const needed = 'reorder' in fault.effect ? calls + 1 : calls
    await reportEvents(control, lead_id, needed)
    return { lead_id, ...(await findCallback(control, lead_id, fault_id)) }
  }
  const via = match.operation === 'reportEvent' ? 'pixel' : 'body'
  await control.leads.trigger(lead_id, { event: events[0], via, repeat: calls })
  return findCall(control, fault_id, context)
}

/** The events of a loan in the order in which advertisers report them. */
const events = ['registration', 'approved', 'completed'] as const

/** Reports events so that there are at least so many callbacks: those of one lead are sent one after the other. */
async function reportEvents(control: TenantControl, lead_id: string, count: number): Promise<void> {
  const needed = Math.min(count, events.length)
  for (const event of events.slice(0, needed)) await control.leads.trigger(lead_id, { event })
  if (count > needed) await control.callbacks.send({ lead_id, event: events[0], repeat: count - needed })
}

/** Sends a test lead. What the fault does to the response shows in the journal. */
async function sendTestLead({ tenant, account, today }: Context, scenario: string | undefined): Promise<void> {
  const choice = choices[0]
  if (!choice) throw new Error('There are no test leads.')
  const draft = draftOf(choice, account, today)
  const body =
    scenario === undefined
      ? draft.body
      : writeField(draft.body, 'customer.contact.email.address', `${scenario}+${newUuid().slice(0, 8)}@sandbox.test`)
  await submit(tenant, { headers: draft.headers, body }, account.publisher.api_key).catch(() => undefined)
}

/**
 * Submits a lead that an advertiser accepts.
 * @throws Error if none accepts it.
 */
export async function distributedLead(context: Context, scenario = 'distributed'): Promise<string> {
  const { tenant, account, today } = context
  const choice = choices.find(each => 'scenario' in each && each.scenario === 'distributed')
  if (!choice) throw new Error('There is no scenario for a lead that is distributed.')
  const { headers, body } = draftOf(choice, account, today)
  const address = scenarioAddress(scenario as 'distributed', newUuid().slice(0, 8))
  const { response, cut } = await submit(
    tenant,
    { headers, body: writeField(body, 'customer.contact.email.address', address) },
    account.publisher.api_key,
  )
  const { lead_id, status, rejection_reason, error } = cut ?? Object(response?.body)
  if (status !== 'distributed')
    throw new Error(
      `The lead for it wasn't distributed (${rejection_reason ?? error ?? status}). Remove the faults on submissions, or check the account.`,
    )
  return String(lead_id)
}

/** Finds the newest call on which a fault acted. */
async function findCall(control: TenantControl, fault_id: string, { tenant }: Context): Promise<Hit> {
  const { requests } = await control.requests.list({ limit: 50 })
  const call = requests.find(each => each.fault_id === fault_id)
  if (!call)
    throw new Error(`The fault ${fault_id} of ${tenant} didn't act. A fault before it may have, or chance decided so.`)
  return { call, lead_id: call.lead_id }
}

/** The number of looks at a callback, and the time between two, in milliseconds. */
const looks = 20
const lookMs = 250

/** Finds the callback of a lead on which a fault acted, or which it holds. Callbacks are sent a moment after the event. */
async function findCallback(control: TenantControl, lead_id: string, fault_id: string) {
  for (let look = 0; look < looks; look++) {
    const { callbacks } = await control.callbacks.list({ lead_id })
    const isHit = ({ attempts, held }: (typeof callbacks)[number]) =>
      held === 'delay' || held === 'reorder' || attempts.some(attempt => attempt.fault_id === fault_id)
    const callback = callbacks.find(isHit)
    if (callback) return { callback }
    const { faults } = await control.faults.list()
    const isReordered = faults.some(
      fault => fault.fault_id === fault_id && fault.acted > 0 && 'reorder' in fault.effect,
    )
    const last = callbacks.at(-1)
    if (isReordered && last?.state === 'delivered') return { callback: last }
    await new Promise(resolve => setTimeout(resolve, lookMs))
  }
  throw new Error("The callback isn't sent yet. Callbacks may be held, or the tenant's clock may be frozen.")
}
