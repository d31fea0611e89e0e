import { isUuid } from '@lead-distribution/contract'
import type { Callback, ControlClient, TenantControl } from '@lead-distribution/control-client'
import type { JournalEntry, Lead, ListedSubmission } from './entries.ts'
import { formatNumber, formatWord, operationLabels, shortId } from './format.ts'
import { isMissing } from './sandbox.ts'

/** A lead, a request or a callback that a search found. */
export interface Found {
  readonly kind: 'lead' | 'request' | 'callback'
  readonly tenant: string
  /** The last part of its address. */
  readonly path: string
  readonly label: string
  readonly detail: string
}

/** The number of tenants that a search covers, in total and at a time. */
const [maxTenants, atOnce] = [24, 6]

/** The number of leads that a search shows of a tenant, of requests and of callbacks of a lead, and of entries in all. */
const [maxLeads, maxOfLead, maxFound] = [5, 3, 24]

/** The number of leads counted at a time, and the maximum number of times. */
const [countedAtOnce, maxCounts] = [500, 10]

/** The minimum length of a searched part of an e-mail address. */
const minLength = 3

/** Returns true if a text can be the id of an entry, or part of an e-mail address. */
export function isSearchable(text: string): boolean {
  return requestId.test(text) || (text.length >= minLength && /^[\w.+@-]+$/.test(text))
}

const requestId = /^r\d{1,15}$/

/**
 * Finds leads, and rejections that created none, by their id or part of their e-mail address, callbacks by their id, and
 * requests by theirs, or by the lead they created. Asks the first tenant, then the others until something is found.
 */
export async function findEntries(
  { control }: Pick<ControlClient, 'control'>,
  text: string,
  tenants: readonly string[],
): Promise<readonly Found[]> {
  const [first, ...others] = tenants.slice(0, maxTenants)
  if (first === undefined) return []
  // Every tenant counts its requests from 1.
  if (requestId.test(text)) return orNothing(async () => [requestOf(first, await control(first).requests.show(text))])
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
  const part = text.toLowerCase()
  const [exact, { submissions, next }] = await Promise.all([
    part.includes('@') ? control.submissions.list({ email: part, limit: maxLeads }) : undefined,
    control.submissions.list({ emailPart: part, limit: maxLeads }),
  ])
  // An exact match comes first, however old it is.
  const found = [...(exact?.submissions ?? []), ...submissions.filter(({ email }) => email !== part)].slice(0, maxLeads)
  const [only] = found
  const more = found.length === 1 && only?.lead_id ? await entriesOf(control, only.lead_id) : []
  return [
    ...found.map(submission => submissionOf(control.name, submission)),
    ...(next === undefined ? [] : [allOf('lead', control.name, `email_part=${encodeURIComponent(part)}`)]),
    ...more,
  ]
}

/** The newest requests and callbacks of a lead. */
async function entriesOf(control: TenantControl, leadId: string): Promise<readonly Found[]> {
  const filter = { leadId, limit: maxOfLead }
  const [entries, { callbacks, next }] = await Promise.all([
    control.requests.list(filter),
    control.callbacks.list(filter),
  ])
  const ofLead = `lead_id=${leadId}`
  return [
    ...entries.requests.map(request => requestOf(control.name, request)),
    ...(entries.next === undefined ? [] : [allOf('request', control.name, ofLead)]),
    ...callbacks.map(callback => callbackOf(control.name, callback)),
    ...(next === undefined ? [] : [allOf('callback', control.name, ofLead)]),
  ]
}

/** The list of all results, of which a search shows a few. */
function allOf(kind: Found['kind'], tenant: string, query: string): Found {
  return { kind, tenant, path: `${kind}s?${query}`, label: `Show all ${kind}s`, detail: '' }
}

/** Counts what the list of leads shows for a part of an e-mail address: `1,111`, or `5,000+` beyond the limit. */
export async function countLeads(control: TenantControl, text: string): Promise<string> {
  let count = 0
  let before: string | undefined
  for (let reads = 0; reads < maxCounts; reads++) {
    const page = { emailPart: text.toLowerCase(), limit: countedAtOnce, ...(before && { before }) }
    const { submissions, next } = await control.submissions.list(page)
    count += submissions.length
    before = next
    if (next === undefined) return formatNumber(count)
  }
  return `${formatNumber(count)}+`
}

/** Returns the result of `find`, or nothing if the entry doesn't exist. */
async function orNothing(find: () => Promise<readonly Found[]>): Promise<readonly Found[]> {
  try {
    return await find()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Returns the result for an entry of the list of leads: its lead, or its request if it created none. */
function submissionOf(tenant: string, { lead_id, request_id = '', ...submission }: ListedSubmission): Found {
  if (lead_id !== undefined) return leadOf(tenant, { lead_id, ...submission })
  const { email, rejection_reason = '' } = submission
  const detail = `${formatWord(rejection_reason)} · no lead was created`
  return { kind: 'lead', tenant, path: `requests/${request_id}`, label: email, detail }
}

type NamedLead = Pick<Lead, 'lead_id' | 'email' | 'status' | 'rejection_reason'>

function leadOf(tenant: string, { lead_id, email, status, rejection_reason }: NamedLead): Found {
  return {
    kind: 'lead',
    tenant,
    path: `leads/${lead_id}`,
    label: email,
    detail: formatWord(rejection_reason ?? status),
  }
}

function requestOf(tenant: string, { request_id, operation, status, outcome }: JournalEntry): Found {
  const label = `${operationLabels[operation]} ${request_id}`
  return { kind: 'request', tenant, path: `requests/${request_id}`, label, detail: `${status} ${formatWord(outcome)}` }
}

function callbackOf(tenant: string, { callback_id, event, state }: Callback): Found {
  const label = `${formatWord(event)} ${shortId(callback_id)}`
  return { kind: 'callback', tenant, path: `callbacks/${callback_id}`, label, detail: formatWord(state) }
}
