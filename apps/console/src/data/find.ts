import { isUuid } from '@lead-distribution/contract'
import type { Callback, ControlClient, TenantControl } from '@lead-distribution/control-client'
import type { Call, Lead, ListedSubmission } from './entries.ts'
import { formatWord, operationLabels, shortId } from './format.ts'
import { isMissing } from './sandbox.ts'

/** A lead, a call or a callback that a search found. */
export interface Found {
  readonly kind: 'lead' | 'call' | 'callback'
  readonly tenant: string
  readonly id: string
  readonly label: string
  readonly detail: string
}

/** The number of tenants that a search asks, and how many of them at a time. */
const [maxTenants, atOnce] = [24, 6]

/** The number of leads that a search shows of a tenant, of calls and of callbacks of a lead, and of entries in all. */
const [maxLeads, maxOfLead, maxFound] = [5, 3, 24]

/** The shortest part of an e-mail address that is searched for. */
const minLength = 3

/** Returns true if a text can be the id of an entry, or part of an e-mail address. */
export function isSearchable(text: string): boolean {
  return callId.test(text) || (text.length >= minLength && /^[\w.+@-]+$/.test(text))
}

const callId = /^r\d{1,15}$/

/**
 * Finds leads, and rejections that created none, by their id or part of their e-mail address, callbacks by their id, and calls by theirs, or by the lead they
 * created. Asks the first tenant, then the others until something is found.
 */
export async function findEntries(
  { control }: Pick<ControlClient, 'control'>,
  text: string,
  tenants: readonly string[],
): Promise<readonly Found[]> {
  const [first, ...others] = tenants.slice(0, maxTenants)
  if (first === undefined) return []
  // Every tenant counts its calls from 1.
  if (callId.test(text)) return orNothing(async () => [callOf(first, await control(first).requests.show(text))])
  const search = (tenant: string) =>
    isUuid(text) ? findById(control(tenant), text) : findByEmail(control(tenant), text)
  const found = [...(await search(first))]
  for (let start = 0; start < others.length && found.length === 0; start += atOnce)
    found.push(...(await Promise.all(others.slice(start, start + atOnce).map(search))).flat())
  return found.slice(0, maxFound)
}

async function findById(control: TenantControl, id: string): Promise<readonly Found[]> {
  const [leads, callbacks] = await Promise.all([
    orNothing(async () => [leadOf(control.name, await control.leads.show(id)), ...(await entriesOf(control, id))]),
    orNothing(async () => [callbackOf(control.name, await control.callbacks.show(id))]),
  ])
  return [...leads, ...callbacks]
}

async function findByEmail(control: TenantControl, text: string): Promise<readonly Found[]> {
  const { submissions } = await control.submissions.list({ emailPart: text.toLowerCase(), limit: maxLeads })
  const [only] = submissions
  const more = submissions.length === 1 && only?.lead_id ? await entriesOf(control, only.lead_id) : []
  return [...submissions.map(submission => submissionOf(control.name, submission)), ...more]
}

/** The newest calls and callbacks of a lead. */
async function entriesOf(control: TenantControl, leadId: string): Promise<readonly Found[]> {
  const filter = { leadId, limit: maxOfLead }
  const [{ requests }, { callbacks }] = await Promise.all([
    control.requests.list(filter),
    control.callbacks.list(filter),
  ])
  return [
    ...requests.map(request => callOf(control.name, request)),
    ...callbacks.map(callback => callbackOf(control.name, callback)),
  ]
}

/** Returns what `find` finds; nothing if the sandbox has no such entry. */
async function orNothing(find: () => Promise<readonly Found[]>): Promise<readonly Found[]> {
  try {
    return await find()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** A rejection that created no lead is found as its call. */
function submissionOf(tenant: string, { lead_id, request_id = '', ...submission }: ListedSubmission): Found {
  if (lead_id !== undefined) return leadOf(tenant, { lead_id, ...submission })
  const { email, rejection_reason = '' } = submission
  const detail = `${formatWord(rejection_reason)} · no lead was created`
  return { kind: 'call', tenant, id: request_id, label: email, detail }
}

type NamedLead = Pick<Lead, 'lead_id' | 'email' | 'status' | 'rejection_reason'>

function leadOf(tenant: string, { lead_id, email, status, rejection_reason }: NamedLead): Found {
  return { kind: 'lead', tenant, id: lead_id, label: email, detail: formatWord(rejection_reason ?? status) }
}

function callOf(tenant: string, { request_id, operation, status, outcome }: Call): Found {
  const label = `${operationLabels[operation]} ${request_id}`
  return { kind: 'call', tenant, id: request_id, label, detail: `${status} ${formatWord(outcome)}` }
}

function callbackOf(tenant: string, { callback_id, event, state }: Callback): Found {
  const label = `${formatWord(event)} ${shortId(callback_id)}`
  return { kind: 'callback', tenant, id: callback_id, label, detail: formatWord(state) }
}
