import { canonicalEvent, isUuid, validationError, wireError } from '@lead-distribution/contract'
import { fieldIssues, type StatusVocabulary, statusUpdate } from '@lead-distribution/contract/shapes'
import type { Account } from '../account/account.ts'
import { isSameUuid } from '../account/same-uuid.ts'
import { type Answer, refusal } from '../answer.ts'
import { recordEvent } from '../callbacks/record-event.ts'
import { acceptedOf } from '../distribution/distribute.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Storage } from '../ports/storage.ts'
import type { Settings } from '../settings.ts'
import type { PortabilityWarning } from '../warning.ts'

/** What reporting needs of the world. */
export interface ReportPorts {
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: Ids
  /** Called when an event was recorded, after its transaction: a callback is due. */
  readonly onCallbackDue: () => void
}

/** A status update by body as it came in; the key was checked before, the advertiser is its holder. */
export interface StatusCall {
  readonly method: string
  readonly lead_id: string
  readonly advertiser_id: string
  readonly body: unknown
}

/** `POST` (or `PATCH`) `/lead/{lead_id}/status` (Spec 4.2; points 4, 5 and 12). */
export async function reportStatus(ports: ReportPorts, account: Account, call: StatusCall): Promise<Answer> {
  const { settings } = account
  const warnings = methodWarnings(call.method, settings)
  const refused = refuseMethod(call.method, settings)
  if (refused) return { ...refused, warnings }
  const lead_id = call.lead_id.toLowerCase()
  const reads = { known: shapes.known.safeParse(call.body), any: shapes.any.safeParse(call.body) }
  const read = reads[settings.status_vocabulary]
  const issues = read.success ? [] : fieldIssues(read.error.issues, call.body)
  if (!isUuid(lead_id)) issues.unshift({ field: 'lead_id', issue: 'must be a UUID, the lead_id of the submission' })
  if (read.success && read.data.advertiser_id !== undefined && !isSameUuid(read.data.advertiser_id, call.advertiser_id))
    issues.push({ field: 'advertiser_id', issue: 'must be the advertiser that the API key was issued to' })
  warnings.push(...vocabularyWarnings(reads.known.success, reads.any.success, settings.status_vocabulary))
  if (!read.success || issues.length > 0) return refusal(validationError(issues), { warnings })
  const { status, metadata } = read.data
  const event = canonicalEvent(status)
  const found = await ports.storage.transact(async tables => {
    const lead = await tables.findLead(lead_id)
    if (!lead || !acceptedOf(lead.deliveries).some(delivery => delivery.advertiser_id === call.advertiser_id))
      return 'unknown'
    const recorded = await recordEvent(tables, account, ports.ids, {
      lead_id,
      advertiser_id: call.advertiser_id,
      event,
      reported_as: status,
      via: 'body',
      metadata,
      recorded_at: ports.clock.now(),
    })
    return recorded ? 'recorded' : 'repeated'
  })
  if (found === 'unknown') return refusal(leadNotFound, { warnings })
  if (found === 'recorded') ports.onCallbackDue()
  return {
    status: 200,
    body: { lead_id, status },
    lead_id,
    warnings,
    report: { event, recorded: found === 'recorded' },
  }
}

const shapes = { known: statusUpdate('known'), any: statusUpdate('any') }

const leadNotFound = wireError('not_found', 'Send the lead_id of a lead that was distributed to this advertiser.')

/** The refusal of a method that the tenant's reading does not have; the pixel's GET is always there. */
function refuseMethod(method: string, { status_methods }: Settings): Answer | undefined {
  if (status_methods.includes(method as never)) return undefined
  const allow = ['GET', ...status_methods].join(', ')
  return { ...wireError('method_not_allowed', `Use one of ${allow}.`), headers: { allow } }
}

/** Point 4: which readings of the method would have answered otherwise. */
function methodWarnings(method: string, { status_methods }: Settings): PortabilityWarning[] {
  const reading = status_methods.join(', ')
  const accepted = status_methods.includes(method as never)
  const other_reading = accepted ? (method === 'POST' ? 'PATCH' : 'POST') : method
  const would = accepted ? 'answer 405 method_not_allowed' : `accept ${method}`
  return [{ switch: 'status_methods', reading, other_reading, would }]
}

/** Point 5: whether the other vocabulary would have answered otherwise. */
function vocabularyWarnings(known: boolean, any: boolean, reading: StatusVocabulary): PortabilityWarning[] {
  if (known === any) return []
  return [
    reading === 'known'
      ? { switch: 'status_vocabulary', reading, other_reading: 'any', would: 'accept the status' }
      : { switch: 'status_vocabulary', reading, other_reading: 'known', would: 'answer 400 validation_error' },
  ]
}
