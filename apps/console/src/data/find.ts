import { isUuid } from '@lead-distribution/contract'
import type { Callback, ControlClient, TenantControl } from '@lead-distribution/control-client'
import type { JournalEntry, Lead, ListedSubmission } from './entries.ts'
import { formatCustomer, formatNumber, formatWord, operationLabels, shortId } from './format.ts'
import { isMissing } from './sandbox.ts'

/** A lead, a request or a callback of a tenant. */
interface Entry {
  readonly kind: 'lead' | 'request' | 'callback'
  /** The last part of its address. */
  readonly path: string
  readonly label: string
  readonly detail: string
}

/** An entry that a search found, with its tenant. */
export interface Found extends Entry {
  readonly tenant: string
}

/** The number of tenants that a search covers, in total and at a time. */
const [maxTenants, atOnce] = [24, 6]

/** The number of leads that a search shows of a tenant, of requests and of callbacks of a lead, and of entries in all. */
const [maxLeads, maxOfLead, maxFound] = [5, 3, 24]

/** The number of the newest matches among which a whole name comes first. */
const maxRanked = 50

/** The number of leads counted at a time, and the maximum number of times. */
const [countedAtOnce, maxCounts] = [500, 10]

/** The length of a searched part of an e-mail address, a name or an `external_id`. */
const [minLength, maxLength] = [3, 254]

/** Returns true if a text can be the id of an entry, or part of a customer's data. */
export function isSearchable(text: string): boolean {
  return requestId.test(text) || (text.length >= minLength && text.length <= maxLength)
}

const requestId = /^r\d{1,15}$/

/**
 * Finds leads by their id or part of their e-mail address, name or `external_id`, rejections that created none by part of
 * their e-mail address, callbacks by their id, and requests by theirs, or by the lead they created. Asks the first tenant,
 * then the others until something is found.
 */
export async function findEntries(
  { control }: Pick<ControlClient, 'control'>,
  text: string,
  tenants: readonly string[],
): Promise<readonly Found[]> {
  const [first, ...others] = tenants.slice(0, maxTenants)
  if (first === undefined) return []
  const search = async (tenant: string) => {
    const found = await findIn(control(tenant), text)
    return found.map(entry => ({ ...entry, tenant }))
  }
  const found = await search(first)
  // Every tenant counts its requests from 1.
  if (requestId.test(text)) return found
  for (let start = 0; start < others.length && found.length === 0; start += atOnce)
    found.push(...(await Promise.all(others.slice(start, start + atOnce).map(search))).flat())
  return found.slice(0, maxFound)
}

async function findIn(control: TenantControl, text: string): Promise<readonly Entry[]> {
  if (requestId.test(text)) return orNothing(async () => [requestOf(await control.requests.show(text))])
  if (!isUuid(text)) return findByCustomer(control, text)
  const [leads, callbacks] = await Promise.all([
    orNothing(async () => [leadOf(await control.leads.show(text)), ...(await entriesOf(control, text))]),
    orNothing(async () => [callbackOf(await control.callbacks.show(text))]),
  ])
  return [...leads, ...callbacks]
}

async function findByCustomer(control: TenantControl, text: string): Promise<readonly Entry[]> {
  const whole = text.includes('@') ? { email: text } : { externalId: text }
  const [exact, { submissions, next }] = await Promise.all([
    control.submissions.list({ ...whole, limit: maxLeads }),
    control.submissions.list({ customer: text, limit: maxRanked }),
  ])
  // The exact match comes first, even if it is older than all that is shown.
  const isNamed = ({ customer_name = '' }: ListedSubmission) => isSameText(customer_name, text)
  const ranked = [...exact.submissions, ...submissions.filter(isNamed), ...submissions]
  const all = [...new Map(ranked.map(each => [each.lead_id ?? each.request_id, each])).values()]
  const found = all.slice(0, maxLeads)
  const [only] = found
  const more = found.length === 1 && only?.lead_id ? await entriesOf(control, only.lead_id) : []
  return [
    ...found.map(submissionOf),
    ...(next === undefined && all.length === found.length
      ? []
      : [allOf('lead', `customer=${encodeURIComponent(text)}`)]),
    ...more,
  ]
}

/** Returns true if two texts differ at most in letter case and accents. */
const isSameText = (one: string, other: string) => collator.compare(one, other) === 0

const collator = new Intl.Collator('en', { sensitivity: 'base' })

/** The newest requests and callbacks of a lead. */
async function entriesOf(control: TenantControl, leadId: string): Promise<readonly Entry[]> {
  const filter = { leadId, limit: maxOfLead }
  const [entries, { callbacks, next }] = await Promise.all([
    control.requests.list(filter),
    control.callbacks.list(filter),
  ])
  const ofLead = `lead_id=${leadId}`
  return [
    ...entries.requests.map(requestOf),
    ...(entries.next === undefined ? [] : [allOf('request', ofLead)]),
    ...callbacks.map(callbackOf),
    ...(next === undefined ? [] : [allOf('callback', ofLead)]),
  ]
}

/** The list of all results, of which a search shows a few. */
function allOf(kind: Entry['kind'], query: string): Entry {
  return { kind, path: `${kind}s?${query}`, label: `Show all ${kind}s`, detail: '' }
}

/** Counts what the list of leads shows for a part of the customer's data: `1,111`, or `5,000+` beyond the limit. */
export async function countLeads(control: TenantControl, text: string): Promise<string> {
  let count = 0
  let before: string | undefined
  for (let reads = 0; reads < maxCounts; reads++) {
    const page = { customer: text, limit: countedAtOnce, ...(before && { before }) }
    const { submissions, next } = await control.submissions.list(page)
    count += submissions.length
    before = next
    if (next === undefined) return formatNumber(count)
  }
  return `${formatNumber(count)}+`
}

/** Returns the result of `find`, or nothing if the entry doesn't exist. */
async function orNothing(find: () => Promise<readonly Entry[]>): Promise<readonly Entry[]> {
  try {
    return await find()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Returns the result for an entry of the list of leads: its lead, or its request if it created none. */
function submissionOf({ lead_id, request_id = '', ...submission }: ListedSubmission): Entry {
  if (lead_id !== undefined) return leadOf({ lead_id, ...submission })
  const { email, rejection_reason = '' } = submission
  const detail = `${formatWord(rejection_reason)} · no lead was created`
  return { kind: 'lead', path: `requests/${request_id}`, label: email, detail }
}

type NamedLead = Pick<Lead, 'lead_id' | 'email' | 'customer_name' | 'external_id' | 'status' | 'rejection_reason'>

function leadOf({ lead_id, email, status, rejection_reason, ...lead }: NamedLead): Entry {
  const detail = `${formatWord(rejection_reason ?? status)} · ${formatCustomer(lead)}`
  return { kind: 'lead', path: `leads/${lead_id}`, label: email, detail }
}

function requestOf({ request_id, operation, status, outcome }: JournalEntry): Entry {
  const label = `${operationLabels[operation]} ${request_id}`
  return { kind: 'request', path: `requests/${request_id}`, label, detail: `${status} ${formatWord(outcome)}` }
}

function callbackOf({ callback_id, event, state }: Callback): Entry {
  const label = `${formatWord(event)} ${shortId(callback_id)}`
  return { kind: 'callback', path: `callbacks/${callback_id}`, label, detail: formatWord(state) }
}
