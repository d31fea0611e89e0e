import { canonicalEvent, type FieldIssue, validationError } from '@lead-distribution/contract'
import { eventReport, fieldIssues } from '@lead-distribution/contract/shapes'
import { findTokenSubject } from '../access/lead-token.ts'
import { unauthorized } from '../access/unauthorized.ts'
import type { Account } from '../account/account.ts'
import { type Answer, refusal } from '../answer.ts'
import { recordEvent } from '../callbacks/record-event.ts'
import { acceptedOf } from '../distribution/distribute.ts'
import type { ReportPorts } from './report-status.ts'

/** A pixel call as it came in. */
export interface EventCall {
  readonly lead_id: string
  readonly query: URLSearchParams
}

/** `GET /lead/{lead_id}/status`, the pixel (Spec 4.3): the token first, then the rest of the query. */
export async function reportEvent(ports: ReportPorts, account: Account, call: EventCall): Promise<Answer> {
  const lead_id = call.lead_id.toLowerCase()
  const advertiser_id = await findAdvertiser(ports, account, lead_id, call.query.get('token') ?? '')
  if (advertiser_id === undefined) return refusal(unauthorized)
  const query = Object.fromEntries(call.query)
  const read = eventReport.safeParse(query)
  const issues = [...repeatedParameters(call.query), ...(read.success ? [] : fieldIssues(read.error.issues, query))]
  if (!read.success || issues.length > 0) return refusal(validationError(issues), { lead_id })
  const { event: reported_as, ref } = read.data
  const event = canonicalEvent(reported_as)
  const recorded_at = ports.clock.now()
  const recorded = await ports.storage.transact(tables =>
    recordEvent(tables, account, ports.ids, {
      lead_id,
      advertiser_id,
      event,
      reported_as,
      via: 'pixel',
      ref,
      recorded_at,
    }),
  )
  if (recorded) ports.onCallbackDue()
  const status = recorded ? 'received' : 'ignored'
  return { status: 200, body: { lead_id, event, status }, lead_id, report: { event, recorded } }
}

/** The advertiser of the lead that the token was made for. */
async function findAdvertiser(
  ports: ReportPorts,
  account: Account,
  lead_id: string,
  token: string,
): Promise<string | undefined> {
  const lead = await ports.storage.transact(tables => tables.findLead(lead_id))
  const ids = acceptedOf(lead?.deliveries ?? []).map(delivery => delivery.advertiser_id)
  const subjects = account.advertisers.filter(({ advertiser_id }) => ids.includes(advertiser_id))
  const found = await findTokenSubject(
    token,
    subjects.map(({ advertiser_id, postback_secret }) => ({ lead_id, advertiser_id, postback_secret })),
    account.settings.token_format,
  )
  return found?.advertiser_id
}

function repeatedParameters(query: URLSearchParams): FieldIssue[] {
  const repeated = new Set([...query.keys()].filter(name => query.getAll(name).length > 1))
  return [...repeated].map(field => ({ field, issue: 'must be given once' }))
}
