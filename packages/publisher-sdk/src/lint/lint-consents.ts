import { type Consents, ipv4InRange, requiredConsents } from '@lead-distribution/contract'
import {
  type AdviceOptions,
  checkAdviceOptions,
  consentAdvice,
  fieldsOf,
  isFilled,
  type LeadAdvice,
} from './lead-advice.ts'

const day = 86_400_000
/** The clocks of two machines are seldom further apart. */
const skew = 60_000

type Fields = Record<string, unknown>
type Found = [field: string, code: keyof typeof consentAdvice, holds: boolean]

/**
 * What is odd about the consents of a lead, and what an auditor would question: a time that cannot be, an
 * address that is not the customer's, a document that cannot be found. Advice, not a check: what the service refuses
 * is found by `validateLead`. Never throws, whatever the consents are.
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

/** What holds of one entry. A time that cannot be read is no number, and no comparison with it holds. */
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
  return typeof text === 'string' ? Date.parse(text) : Number.NaN
}

// Where no customer is (RFC 6890). Without the networks for documentation, which test leads come from.
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

/** Whether an IPv4 address is one that no customer has: private, loopback or reserved. */
function isReservedAddress(address: string): boolean {
  return reserved.some(range => ipv4InRange(address, range))
}
