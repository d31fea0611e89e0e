import {
  type Account,
  type Advertiser,
  canonicalEvent,
  canonicalUuid,
  equalText,
  type FieldIssue,
  isUuid,
  knownStatuses,
  leadTokenWith,
  type TokenKey,
  tokenKey,
} from '@lead-distribution/contract'
import { eventReport, fieldIssues, type StatusVocabulary, statusUpdate } from '@lead-distribution/contract/shapes'
import type * as z from 'zod/mini'
import { recordEvent } from './callbacks.ts'
import { isHolder } from './lead-record.ts'
import { type OperationPorts, type Refused, refusedFields } from './ports.ts'
import type { PortabilityWarning } from './submit-lead.ts'

export { leadToken, type TokenSubject } from '@lead-distribution/contract'

export interface ReportPorts extends OperationPorts {
  readonly readToken: TokenReader
  /** Called after the transaction that recorded an event: its callback is due. */
  readonly onCallbackDue: () => void
  /** Fields of the storage that are stored with an event's callback. */
  readonly callbackFields?: object | undefined
}

/** A status update by body. `advertiser_id` is the owner of the key, which was checked before. */
export interface StatusUpdate {
  readonly lead_id: string
  readonly advertiser_id: string
  /** The parsed JSON body. */
  readonly body: unknown
}

/** The result of a status update. `reported_as` is the status as sent, `event` its canonical name. */
export type StatusResult = (
  | {
      readonly status: 'received' | 'ignored'
      readonly lead_id: string
      readonly event: string
      readonly reported_as: string
    }
  | Refused<'not_found'>
) & { readonly warnings: readonly PortabilityWarning[] }

/** Records a status that an advertiser reports by body (Spec 4.2; points 5 and 12 of the open points). */
export async function reportStatus(ports: ReportPorts, account: Account, update: StatusUpdate): Promise<StatusResult> {
  const { lead_id, advertiser_id, body } = update
  const vocabulary = account.settings.status_vocabulary
  const read = shapes[vocabulary].safeParse(body)
  const issues = read.success ? [] : fieldIssues(read.error.issues, body)
  if (!isUuid(lead_id))
    issues.unshift({ field: 'lead_id', issue: 'must be a UUID, the lead_id from the response to the submission' })
  const named = (body as { advertiser_id?: unknown } | null)?.advertiser_id
  if (typeof named === 'string' && isUuid(named) && canonicalUuid(named) !== advertiser_id)
    issues.push({ field: 'advertiser_id', issue: 'must be the advertiser that the API key was issued to' })
  const warnings = vocabularyWarnings(body, vocabulary, issues)
  if (!read.success || issues.length > 0) return { ...refusedFields(issues), warnings }
  const { status: reported_as, metadata } = read.data
  const event = canonicalEvent(reported_as)
  const status = await ports.storage.transact(async tables => {
    const lead = await tables.findLead(lead_id)
    if (!lead || !isHolder(lead.deliveries, advertiser_id)) return 'unknown'
    const recorded_at = ports.clock.now()
    const report = { lead_id, advertiser_id, event, reported_as, via: 'body', metadata, recorded_at } as const
    return (await recordEvent(tables, account, ports, report)) ? 'received' : 'ignored'
  })
  if (status === 'unknown') return { status: 'refused', error: 'not_found', warnings }
  if (status === 'received') ports.onCallbackDue()
  return { status, lead_id, event, reported_as, warnings }
}

const shapes = { known: statusUpdate('known'), any: statusUpdate('any') }

/** Point 5: warns if the other vocabulary leads to a different result. */
function vocabularyWarnings(
  body: unknown,
  interpretation: StatusVocabulary,
  issues: readonly { readonly field: string }[],
): PortabilityWarning[] {
  const status = (body as { status?: unknown } | null)?.status
  const isForeign =
    typeof status === 'string' && status !== '' && !(knownStatuses as readonly string[]).includes(status)
  // If more than the status is invalid, both vocabularies refuse it.
  if (!isForeign || issues.some(({ field }) => field !== 'status')) return []
  const refuses = interpretation === 'known'
  const other_interpretation = refuses ? 'any' : 'known'
  const would = refuses ? 'accept' : 'validation_error'
  return [{ switch: 'status_vocabulary', interpretation, other_interpretation, would }]
}

export interface PixelCall {
  readonly lead_id: string
  /** Name and value of each parameter, in the URL's order. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

export type EventResult =
  | { readonly status: 'received' | 'ignored'; readonly lead_id: string; readonly event: string }
  | (Refused<'unauthorized'> & { readonly lead_id?: string })

/**
 * Records an event that an advertiser reports by pixel (Spec 4.3). The token is checked first and without the storage,
 * so that a wrong token and an unknown lead take the same time. The lead is read in the transaction that records the
 * event.
 */
export async function reportEvent(ports: ReportPorts, account: Account, call: PixelCall): Promise<EventResult> {
  const { lead_id } = call
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
    const recorded = await recordEvent(tables, account, ports, record)
    return { status: recorded ? 'received' : 'ignored', lead_id, event }
  })
  if (result.status === 'received') ports.onCallbackDue()
  return result
}

/** The same error for a wrong token, an unknown lead and another lead's token. */
const unauthorized: EventResult = { status: 'refused', error: 'unauthorized' }

type ReadReport =
  | { readonly report: z.output<typeof eventReport>; readonly issues?: never }
  | { readonly report?: never; readonly issues: FieldIssue[] }

function readReport(parameters: PixelCall['parameters']): ReadReport {
  const [seen, twice] = [new Set<string>(), new Set<string>()]
  for (const [name] of parameters) (seen.has(name) ? twice : seen).add(name)
  const repeated: FieldIssue[] = [...twice].map(field => ({ field, issue: 'must be given only once' }))
  const values = Object.fromEntries(parameters)
  const read = eventReport.safeParse(values)
  if (read.success && repeated.length === 0) return { report: read.data }
  return { issues: [...repeated, ...(read.success ? [] : fieldIssues(read.error.issues, values))] }
}

/** Finds the advertiser that a lead's token was issued to, even if the advertiser doesn't have the lead. */
export type TokenReader = (token: string, leadId: string, account: TokenAccount) => Promise<Advertiser | undefined>

/** The part of an account that tokens depend on. */
export type TokenAccount = Pick<Account, 'advertisers'> & {
  readonly settings: Pick<Account['settings'], 'token_format'>
}

/**
 * Creates a reader of tokens (Spec 5; point 11 of the open points). It imports each advertiser's key once and compares
 * the tokens of all advertisers, so that the timing reveals nothing.
 */
export function createTokenReader(): TokenReader {
  /** Cached by the account's advertiser object, which a change replaces as a whole. */
  const keys = new WeakMap<Advertiser, { readonly hash: string; readonly key: Promise<TokenKey> }>()
  function keyOf(advertiser: Advertiser, hash: string): Promise<TokenKey> {
    const known = keys.get(advertiser)
    if (known?.hash === hash) return known.key
    const key = tokenKey(advertiser.postback_secret, hash)
    keys.set(advertiser, { hash, key })
    return key
  }
  return async (token, lead_id, { advertisers, settings: { token_format } }) => {
    const tokens = await Promise.all(
      advertisers.map(async advertiser => {
        const key = await keyOf(advertiser, token_format.hash)
        return leadTokenWith(key, { lead_id, advertiser_id: advertiser.advertiser_id }, token_format)
      }),
    )
    return advertisers.filter((_, index) => equalText(token, tokens[index] ?? ''))[0]
  }
}
