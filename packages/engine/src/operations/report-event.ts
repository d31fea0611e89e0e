import { canonicalEvent, type FieldIssue } from '@lead-distribution/contract'
import { eventReport, fieldIssues } from '@lead-distribution/contract/shapes'
import type * as z from 'zod/mini'
import type { Account } from '../account.ts'
import { recordEvent } from '../callbacks/record-event.ts'
import { isHolder } from '../distribution/distribute.ts'
import { type Refused, type ReportPorts, refusedFields } from './operation.ts'

/** A call of the pixel. */
export interface PixelCall {
  readonly lead_id: string
  /** Name and value of each parameter, in the order of the URL. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

/** The result of a pixel call. */
export type EventResult =
  | { readonly status: 'received' | 'ignored'; readonly lead_id: string; readonly event: string }
  | (Refused<'unauthorized'> & { readonly lead_id?: string })

/**
 * Records what an advertiser reports by the pixel (Spec 4.3). The token comes first and is checked without the storage:
 * a wrong token and an unknown lead take the same time. The lead is read in the transaction that records the event.
 */
export async function reportEvent(ports: ReportPorts, account: Account, call: PixelCall): Promise<EventResult> {
  const lead_id = call.lead_id.toLowerCase()
  const [, token = ''] = call.parameters.find(([name]) => name === 'token') ?? []
  const reporter = await ports.readToken(token, lead_id, account)
  if (!reporter) return unauthorized
  const { advertiser_id } = reporter
  const { report, issues } = readReport(call.parameters)
  const result = await ports.storage.transact(async (tables): Promise<EventResult> => {
    const lead = await tables.findLead(lead_id)
    if (!lead || !isHolder(lead.deliveries, advertiser_id)) return unauthorized
    if (!report) return { ...refusedFields(issues), lead_id }
    const { event: reported_as, ref } = report
    const event = canonicalEvent(reported_as)
    const recorded_at = ports.clock.now()
    const record = { lead_id, advertiser_id, event, reported_as, via: 'pixel', ref, recorded_at } as const
    const recorded = await recordEvent(tables, account, ports.ids, record)
    return { status: recorded ? 'received' : 'ignored', lead_id, event }
  })
  if (result.status === 'received') ports.onCallbackDue()
  return result
}

/** One refusal for a wrong token, an unknown lead and the token of another lead. */
const unauthorized: EventResult = { status: 'refused', error: 'unauthorized' }

type ReadReport =
  | { readonly report: z.output<typeof eventReport>; readonly issues?: never }
  | { readonly report?: never; readonly issues: FieldIssue[] }

function readReport(parameters: PixelCall['parameters']): ReadReport {
  const [seen, twice] = [new Set<string>(), new Set<string>()]
  for (const [name] of parameters) (seen.has(name) ? twice : seen).add(name)
  const repeated: FieldIssue[] = [...twice].map(field => ({ field, issue: 'must be given once' }))
  const values = Object.fromEntries(parameters)
  const read = eventReport.safeParse(values)
  if (read.success && repeated.length === 0) return { report: read.data }
  return { issues: [...repeated, ...(read.success ? [] : fieldIssues(read.error.issues, values))] }
}
