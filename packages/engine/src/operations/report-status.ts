import { canonicalEvent, isUuid, knownStatuses } from '@lead-distribution/contract'
import { fieldIssues, type StatusVocabulary, statusUpdate } from '@lead-distribution/contract/shapes'
import { type Account, isSameUuid } from '../account.ts'
import { recordEvent } from '../callbacks/record-event.ts'
import { isHolder } from '../distribution/distribute.ts'
import type { PortabilityWarning } from '../settings.ts'
import { type Refused, type ReportPorts, refusedFields } from './operation.ts'

/** A status update by body; the key was checked before, and `advertiser_id` is its holder. */
export interface StatusUpdate {
  readonly lead_id: string
  readonly advertiser_id: string
  /** What was sent, parsed from JSON. */
  readonly body: unknown
}

/** The result of a status update; `reported_as` is the status as it was sent, `event` its canonical name. */
export type StatusResult = (
  | {
      readonly status: 'received' | 'ignored'
      readonly lead_id: string
      readonly event: string
      readonly reported_as: string
    }
  | Refused<'not_found'>
) & { readonly warnings: readonly PortabilityWarning[] }

/** Records what an advertiser reports by body (Spec 4.2; points 5 and 12 of the open points). */
export async function reportStatus(ports: ReportPorts, account: Account, update: StatusUpdate): Promise<StatusResult> {
  const { advertiser_id, body } = update
  const vocabulary = account.settings.status_vocabulary
  const lead_id = update.lead_id.toLowerCase()
  const read = shapes[vocabulary].safeParse(body)
  const issues = read.success ? [] : fieldIssues(read.error.issues, body)
  const warnings = vocabularyWarnings(body, vocabulary, issues)
  if (!isUuid(lead_id)) issues.unshift({ field: 'lead_id', issue: 'must be a UUID, the lead_id of the submission' })
  if (read.success && read.data.advertiser_id !== undefined && !isSameUuid(read.data.advertiser_id, advertiser_id))
    issues.push({ field: 'advertiser_id', issue: 'must be the advertiser that the API key was issued to' })
  if (!read.success || issues.length > 0) return { ...refusedFields(issues), warnings }
  const { status: reported_as, metadata } = read.data
  const event = canonicalEvent(reported_as)
  const status = await ports.storage.transact(async tables => {
    const lead = await tables.findLead(lead_id)
    if (!lead || !isHolder(lead.deliveries, advertiser_id)) return 'unknown'
    const recorded_at = ports.clock.now()
    const report = { lead_id, advertiser_id, event, reported_as, via: 'body', metadata, recorded_at } as const
    return (await recordEvent(tables, account, ports.ids, report)) ? 'received' : 'ignored'
  })
  if (status === 'unknown') return { status: 'refused', error: 'not_found', warnings }
  if (status === 'received') ports.onCallbackDue()
  return { status, lead_id, event, reported_as, warnings }
}

const shapes = { known: statusUpdate('known'), any: statusUpdate('any') }

/** Point 5: whether the other vocabulary leads to another result. */
function vocabularyWarnings(
  body: unknown,
  interpretation: StatusVocabulary,
  issues: readonly { readonly field: string }[],
): PortabilityWarning[] {
  const status = (body as { status?: unknown } | null)?.status
  const isForeign =
    typeof status === 'string' && status !== '' && !(knownStatuses as readonly string[]).includes(status)
  // Where more is wrong than the name, both vocabularies refuse.
  if (!isForeign || issues.some(({ field }) => field !== 'status')) return []
  const refuses = interpretation === 'known'
  const other_interpretation = refuses ? 'any' : 'known'
  const would = refuses ? 'accept' : 'validation_error'
  return [{ switch: 'status_vocabulary', interpretation, other_interpretation, would }]
}
