import { keyHeader, type LeadResponse } from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/control-client'
import { scenarioHeader } from '@lead-distribution/simulator/effects'
import { readInput } from '../read-input.ts'
import { argument, byDefault, flag, onOff } from './flags.ts'
import { list, paint, paintOutcome } from './printing.ts'
import { type Session, verb } from './run-verb.ts'
import { objectIn } from './values.ts'

/** The ids of an account that every lead contains. */
export interface LeadOwner {
  readonly publisher: { readonly publisher_id: string }
  readonly products: readonly { readonly product_id: string; readonly active: boolean }[]
}

/**
 * Completes the content of a file as the body of a submission: a JSON object without `product_id` or `publisher_id`
 * gets the account's ids. Everything else is sent unchanged, so that the service reports its errors.
 */
export function withOwner(content: string, { publisher, products }: LeadOwner): string {
  const lead = objectIn(content)
  if (lead === undefined) return content
  const { publisher_id } = publisher
  const product_id = products.find(({ active }) => active)?.product_id
  return JSON.stringify({ product_id, publisher_id, ...lead })
}

/** `--scenario`: forces the outcome of a submission. */
export const scenarioFlag = flag('<names>', 'force its outcome: distributed, age_restriction, http_503, …')

/**
 * `--no-fill`: sends the submission unchanged. Commander looks up its default before a verb is loaded, hence the name.
 */
export const noFillFlag = byDefault(
  onOff("send the file unchanged, without adding the account's product_id and publisher_id"),
  true,
)

/** Timeout for the response, milliseconds; a scenario can withhold it. */
const replyTimeoutMs = 30_000

/** `lead-sandbox submit`: submits a lead to the real endpoint with the tenant's publisher key. */
export const submit = verb({
  takes: {
    file: argument('[file]', 'a JSON file, or - for stdin (default: a minimal lead that an advertiser accepts)'),
    email: flag('<address>', "the customer's email address, instead of the one in the file"),
    scenario: scenarioFlag,
    noFill: noFillFlag,
  },
  examples: [
    '',
    'lead.json',
    '--email ana@example.com',
    '--scenario age_restriction',
    '--scenario http_500.distributed',
  ],
  async call(session, { file, email, scenario, fill }) {
    const account = await session.tenant.show()
    const body = await bodyOf(session, account, file, fill)
    const { sendLead } = await import('./connection.ts')
    const lead = email === undefined ? body : withEmail(body, email)
    const headers = {
      [keyHeader]: account.publisher.api_key,
      ...(scenario === undefined ? {} : { [scenarioHeader]: scenario }),
    }
    return (await sendLead(account.base_url, lead, headers, replyTimeoutMs)) as LeadResponse
  },
  text: outcomeText,
})

async function bodyOf(session: Session, account: Account, file: string | undefined, fill: boolean): Promise<string> {
  if (file === undefined) return smallestLead(session, account)
  const content = await readInput(file)
  return fill ? withOwner(content, account) : content
}

/**
 * Sets the customer's address in a submission. Anything but an object stays unchanged, so that the service reports it.
 */
export function withEmail(content: string, address: string): string {
  const lead = objectIn(content) as { customer?: { contact?: { email?: object } } } | undefined
  if (lead === undefined) return content
  const { customer } = lead
  const email = { ...customer?.contact?.email, address }
  return JSON.stringify({ ...lead, customer: { ...customer, contact: { ...customer?.contact, email } } })
}

/** The consents are dated by the tenant's clock. */
async function smallestLead(session: Session, account: Account): Promise<string> {
  const { now } = await session.tenant.clock.show()
  const { createTestLeads } = await import('@lead-distribution/contract/test-leads')
  return JSON.stringify(createTestLeads(account, { today: new Date(now) }).distributed())
}

function outcomeText({ lead_id, status, rejection_reason, redirect_url }: LeadResponse): string {
  const rows = list([
    ['outcome', paintOutcome(status, rejection_reason)],
    ['lead_id', lead_id ?? undefined],
    ['redirect_url', redirect_url ?? undefined],
  ])
  return lead_id ? `${rows}\n${paint('dim', `Why: lead-sandbox leads explain ${lead_id}`)}` : rows
}
