import { scenarioAddress } from '@lead-distribution/contract/test-leads'
import type { Callback, TenantControl } from '@lead-distribution/control-client'
import { choiceOf, type Draft, draftOf, emailPath, scenarioChoice } from './draft.ts'
import type { Fault, JournalEntry, LeadContext } from './entries.ts'
import { writeField } from './json.ts'
import { newUuid } from './new-uuid.ts'
import { numberOf, readBody, type Submission, submit } from './submission.ts'

/** The maximum number of requests to send to trigger a fault that lets some through first. */
export const maxRequests = 20

/** The effect of a fault on the request or the callback that hit it. */
export interface Hit {
  readonly lead_id?: string | undefined
  /** Undefined if the fault acts on callbacks. */
  readonly entry?: JournalEntry
  /** True if the browser sent the request again by itself, because the fault cut its connection. */
  readonly isResent?: boolean | undefined
  readonly callback?: Callback
}

/**
 * Triggers a fault: sends a test lead and, if the fault acts on something else, an event for the lead.
 * @throws Error if the fault didn't act. The message says what happened.
 */
export async function hitFault(fault: Fault, control: TenantControl, context: LeadContext): Promise<Hit> {
  const { fault_id, match } = fault
  const count = fault.lets_through + 1
  const before = numberOf((await control.requests.list({ limit: 1 })).requests[0])
  if (match.operation === 'submitLead') {
    // The journal shows the fault's effect on the response.
    let last: Submission | undefined
    for (let sent = 0; sent < count; sent++)
      last = await submit(control, draftFor(match.scenario, context), context.account).catch(() => undefined)
    return { ...(await findEntry(control, fault_id, before)), isResent: last?.isResent }
  }
  const lead_id = await distributedLead(control, context, match.scenario)
  if (match.operation === 'callback') {
    const needed = 'reorder' in fault.effect ? count + 1 : count
    await reportEvents(control, lead_id, needed)
    return { lead_id, callback: await findCallback(control, lead_id, fault_id) }
  }
  const via = match.operation === 'reportEvent' ? 'pixel' : 'body'
  await control.leads.trigger(lead_id, { event: events[0], via, repeat: count })
  return findEntry(control, fault_id, before)
}

/** A loan's events in the order in which advertisers report them. */
const events = ['registration', 'approved', 'completed'] as const

/** Reports events until there are enough callbacks. Callbacks of one lead are sent one after another. */
async function reportEvents(control: TenantControl, lead_id: string, count: number): Promise<void> {
  const needed = Math.min(count, events.length)
  for (const event of events.slice(0, needed)) await control.leads.trigger(lead_id, { event })
  if (count > needed) await control.callbacks.send({ leadId: lead_id, event: events[0], repeat: count - needed })
}

/** Creates a distributed test lead, by its data or by a scenario. */
function draftFor(scenario: string | undefined, { account, today }: LeadContext): Draft {
  if (scenario === undefined) return draftOf(choiceOf('distributed'), account, today)
  const draft = draftOf(scenarioChoice('distributed'), account, today)
  const address = scenarioAddress(scenario as 'distributed', newUuid().slice(0, 8))
  return { ...draft, body: writeField(draft.body, emailPath, address) }
}

/**
 * Submits a lead that an advertiser accepts.
 * @throws Error if none accepts it.
 */
export async function distributedLead(
  control: TenantControl,
  context: LeadContext,
  scenario = 'distributed',
): Promise<string> {
  const { response, cut, garbled } = await submit(control, draftFor(scenario, context), context.account)
  const { lead_id, status, rejection_reason, error } = { ...readBody(response?.body), ...(cut ?? garbled) }
  if (status !== 'distributed')
    throw new Error(
      `The lead for it wasn't distributed (${rejection_reason ?? error ?? status}). Remove the faults on submissions, or check the account.`,
    )
  return String(lead_id)
}

/** Finds the newest request on which a fault acted, among those after a request's number. */
async function findEntry(control: TenantControl, fault_id: string, before: number): Promise<Hit> {
  const { requests } = await control.requests.list({ limit: 50 })
  const entry = requests.find(each => each.fault_id === fault_id && numberOf(each) > before)
  if (!entry)
    throw new Error(
      `The fault ${fault_id} of ${control.name} didn't act. A fault before it may have, or chance decided so.`,
    )
  return { entry, lead_id: entry.lead_id }
}

/** The number of polls for a callback, and their interval in milliseconds. */
const [maxPolls, pollMs] = [40, 250]

/**
 * Finds the callback of a lead on which a fault acted, or which it holds.
 * @throws Error if there is none in time.
 */
async function findCallback(control: TenantControl, lead_id: string, fault_id: string): Promise<Callback> {
  const isHit = ({ attempts, held }: Callback) =>
    held === 'delay' || held === 'reorder' || attempts.some(attempt => attempt.fault_id === fault_id)
  // A callback is sent a moment after its event.
  for (let polls = 0; polls < maxPolls; polls++) {
    const { callbacks } = await control.callbacks.list({ leadId: lead_id })
    const { faults } = await control.faults.list()
    const fault = faults.find(each => each.fault_id === fault_id)
    const reordered = fault && fault.acted > 0 && 'reorder' in fault.effect
    const found = callbacks.find(isHit) ?? (reordered && callbacks.findLast(({ state }) => state === 'delivered'))
    if (found) return found
    await new Promise(resolve => setTimeout(resolve, pollMs))
  }
  throw new Error("The callback isn't sent yet. Callbacks may be held, or the tenant's clock may be frozen.")
}
