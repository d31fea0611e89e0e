/**
 * Advice about leads that the service accepts but an auditor would question.
 * @module @lead-distribution/publisher-sdk/lint
 */

// A separate entry, so that only programs that use it carry it.
import {
  type Consents,
  dateTimeMs,
  ipv4InRange,
  type LeadSubmission,
  requiredConsents,
  type Tracking,
} from '@lead-distribution/contract'
import { findNearMisses } from '@lead-distribution/contract/diagnostics'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'

/** The code of an advice; a closed union, so a `switch` over it can be complete. @inline */
type LeadAdviceCode = keyof typeof consentAdvice | keyof typeof trackingAdvice | 'near_miss'

/** Advice about one field of a lead: probably misspelled, or what an auditor would question. Repeats no value. */
export interface LeadAdvice {
  /** The field: a dotted path as in the issues of `validateLead`, such as `consents.metadata.ip_address`. */
  readonly field: string
  /** The kind of advice. */
  readonly code: LeadAdviceCode
  /** The advice as a sentence. */
  readonly advice: string
}

/** The options of `lintLead` and `lintConsents`. @inline */
type AdviceOptions = {
  /** The current time. Default: the system clock. */
  now?: Date | undefined
}

/**
 * Finds fields of a lead that are probably misspelled or misplaced, which the service ignores, and everything that
 * `lintConsents` and `lintTracking` find. It gives advice; `validateLead` finds what the service refuses. The lead may be
 * any value.
 * @throws ConfigError an option is unknown.
 * @example
 * ```ts
 * import { lintLead } from '@lead-distribution/publisher-sdk/lint'
 *
 * for (const { field, advice } of lintLead(lead)) report(`${field}: ${advice}`)
 * ```
 */
export function lintLead(lead: LeadSubmission, options?: AdviceOptions): readonly LeadAdvice[] {
  checkAdviceOptions('`lintLead`', options)
  const { consents, tracking } = fieldsOf(lead) as Pick<LeadSubmission, 'consents' | 'tracking'>
  return [...nearMissesOf(lead), ...lintConsents(consents, options), ...lintTracking(tracking)]
}

/** Finds names and values that resemble known ones. A text in a wrong format is an issue for `validateLead`, not advice. */
function nearMissesOf(lead: unknown): LeadAdvice[] {
  return findNearMisses(lead, { formats: false })
    .filter(({ check }) => check === 'shape')
    .map(({ field, message }) => ({ field, code: 'near_miss', advice: message }))
}

const names = ['click_id', 'sub_id', 'campaign_id', 'source'] as const satisfies (keyof Tracking)[]
const email = /[\w.+-](@|%40)[\w-]+\.\w{2}/i

/**
 * Finds questionable tracking data of a lead: empty fields, e-mail addresses, and a `source` that is not a page or still
 * has its query. Never throws: the tracking data may be any value.
 * @example
 * ```ts
 * import { lintTracking } from '@lead-distribution/publisher-sdk/lint'
 *
 * for (const { field, code } of lintTracking(lead.tracking)) report({ field, code })
 * ```
 */ // Spec 2.10
export function lintTracking(tracking: Tracking | undefined): readonly LeadAdvice[] {
  const given = fieldsOf(tracking)
  return names.flatMap(name =>
    codesOf(name, given[name]).map(code => ({ field: `tracking.${name}`, code, advice: trackingAdvice[code] })),
  )
}

function codesOf(name: keyof Tracking, value: unknown): (keyof typeof trackingAdvice)[] {
  if (typeof value !== 'string') return []
  if (!isFilled(value)) return ['tracking_empty']
  const found: (keyof typeof trackingAdvice)[] = []
  if (email.test(value)) found.push('tracking_personal_data')
  if (name === 'source' && !/^https?:\/\/[^/]/i.test(value)) found.push('source_not_absolute')
  if (name === 'source' && /[?#]/.test(value)) found.push('source_with_query')
  return found
}

const day = 86_400_000
/** Allowance for two machines whose clocks differ, milliseconds. */
const skew = 60_000

type Fields = Record<string, unknown>
type Found = [field: string, code: keyof typeof consentAdvice, holds: boolean]

/**
 * Finds what an auditor would question in the consents of a lead: an impossible time, an address that is not the
 * customer's, a document that cannot be found. It gives advice; `validateLead` finds what the service refuses. The
 * consents may be any value.
 * @throws ConfigError an option is unknown.
 * @example
 * ```ts
 * import { lintConsents } from '@lead-distribution/publisher-sdk/lint'
 *
 * for (const { field, advice } of lintConsents(lead.consents)) report(`${field}: ${advice}`)
 * ```
 */ // Spec 2.9, 8
export function lintConsents(consents: Consents, options?: AdviceOptions): readonly LeadAdvice[] {
  checkAdviceOptions('`lintConsents`', options)
  const { now = new Date() } = options ?? {}
  const { entries: given, metadata } = fieldsOf(consents)
  const entries = Array.isArray(given) ? given.map(fieldsOf) : []
  const { ip_address, user_agent, collected_at } = fieldsOf(metadata)
  const collected = timeOf(collected_at)
  const latest = Number(now) + skew
  const found: Found[] = [
    ['entries', 'consent_missing', requiredConsents.some(type => !entries.some(entry => entry.type === type))],
    ...entries.flatMap((entry, index) =>
      foundIn(entry, entries.slice(0, index), collected, latest).map(
        ([field, ...rest]): Found => [`entries.${index}.${field}`, ...rest],
      ),
    ),
    ['metadata', 'metadata_missing', !metadata],
    ['metadata.ip_address', 'ip_address_not_public', isFilled(ip_address) && isReservedAddress(ip_address)],
    ['metadata.user_agent', 'user_agent_missing', !!metadata && !isFilled(user_agent)],
    ['metadata.collected_at', 'time_in_future', collected > latest],
  ]
  return found.flatMap(([field, code, holds]) =>
    holds ? [{ field: `consents.${field}`, code, advice: consentAdvice[code] }] : [],
  )
}

/** Checks one entry. An unreadable time is NaN, and every comparison with it is false. */
function foundIn(entry: Fields, before: readonly Fields[], collected: number, latest: number): Found[] {
  const { type, accepted, accepted_at, version, document_url } = entry
  const moment = timeOf(accepted_at)
  const hasUrl = isFilled(document_url)
  const shared = before.some(other => other.document_url === document_url && other.version !== version)
  return [
    ['type', 'consent_repeated', before.some(other => other.type === type)],
    ['accepted', 'consent_not_accepted', !accepted && requiredConsents.some(required => required === type)],
    ['accepted_at', 'accepted_at_missing', !!accepted && !isFilled(accepted_at)],
    ['accepted_at', 'accepted_at_unexpected', !accepted && isFilled(accepted_at)],
    ['accepted_at', 'accepted_after_collected', moment > collected],
    ['accepted_at', 'accepted_long_before_collected', moment < collected - day],
    ['accepted_at', 'time_in_future', moment > latest],
    ['version', 'version_missing', !isFilled(version)],
    ['document_url', 'document_url_missing', !hasUrl],
    ['document_url', 'document_url_not_https', hasUrl && !/^https:\/\/[^/]/i.test(document_url)],
    ['document_url', 'document_url_shared', hasUrl && shared],
  ]
}

function timeOf(text: unknown): number {
  return typeof text === 'string' ? dateTimeMs(text) : Number.NaN
}

// Networks without customers (RFC 6890), except those for documentation, which test leads use.
const reserved = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
]

/** Returns true for an IPv4 address that no customer has: private, loopback or reserved. */
function isReservedAddress(address: string): boolean {
  return reserved.some(range => ipv4InRange(address, range))
}

/** @throws ConfigError an option is unknown. */
function checkAdviceOptions(what: string, options: AdviceOptions | undefined): void {
  checkOptions(what, options, { now: 1 } satisfies Known<AdviceOptions>)
}

/** Returns the fields of any value; none if it is not an object. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Returns true for a string that is not blank. */
function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** The advice about consents by code. */ // Spec 2.9, 8
const consentAdvice = {
  consent_missing: 'Ask for `terms` and `privacy_policy`: no lead is processed without them.',
  consent_not_accepted: 'Submit the lead only after this consent is accepted.',
  consent_repeated: 'Keep only one entry of each type.',
  accepted_at_missing: 'Record when it was accepted.',
  accepted_at_unexpected: 'Use null: it was not accepted.',
  accepted_after_collected: 'It is after `collected_at`: use one clock for both.',
  accepted_long_before_collected: 'It is more than a day before `collected_at`: ask the customer again.',
  time_in_future: 'It is in the future: correct the clock.',
  version_missing: 'Record the version that was shown.',
  document_url_missing: 'Record the URL of the exact document that was shown.',
  document_url_not_https: 'Use an absolute https URL.',
  document_url_shared: 'Give each version its own URL.',
  metadata_missing: 'Record the address, user agent and time: you must be able to prove the consent.',
  ip_address_not_public: 'Use the address of the customer, not of a proxy.',
  user_agent_missing: 'Record it: you must be able to prove the consent.',
} as const

/** The advice about tracking data by code. */ // Spec 2.10
const trackingAdvice = {
  tracking_empty: 'It is empty: leave it out.',
  tracking_personal_data: 'Use an id instead of an e-mail address.',
  source_not_absolute: 'Use the absolute http or https URL of the page.',
  source_with_query: 'Leave out the query and the fragment: they may hold personal data.',
} as const
