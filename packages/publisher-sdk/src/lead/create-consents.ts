import { type ConsentMetadata, type Consents, requiredConsents } from '@lead-distribution/contract'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { checkPart } from './validate-lead.ts'

/** A consent without which no lead is processed. */ // Spec 2.9, 8
export type RequiredConsent = (typeof requiredConsents)[number]

/** A moment: a `Date`, or RFC 3339 text with a zone, which is sent unchanged. */
export type Moment = Date | string

/** The document that the customer was shown, and the answer. */
export interface ConsentGiven {
  /** Version label of the document that was shown. */
  version: string
  /** URL of the very document that was shown, this version of it; `null` where there is none, which audits regret. */
  document_url: string | null
  /** The customer's answer. */
  accepted: boolean
  /** When the customer accepted. Default: `collected_at`. Not sent where the consent was not accepted. */
  accepted_at?: Moment | undefined
}

/** What {@link createConsents} takes. */
export interface ConsentRecord<Type extends string = never> {
  /**
   * IPv4 address that the customer agreed from: the customer's own, not a proxy's. `::ffff:203.0.113.7`, as Node has
   * it, is understood. The service takes no IPv6 address: serve the form over IPv4.
   */ // Spec 2.9
  ip_address: string
  /** User agent that the customer agreed with. */
  user_agent?: string | undefined
  /** When the consents were collected. Default: now. */
  collected_at?: Moment | undefined
  /**
   * The consents by their type: `terms` and `privacy_policy`, whose `accepted` defaults to true, and
   * others, such as `marketing`, whose `accepted` is never assumed. One that is `undefined` was not requested.
   */
  entries: {
    [Each in RequiredConsent]: Omit<ConsentGiven, 'accepted'> & { accepted?: boolean | undefined }
  } & { [Each in Type]?: Each extends RequiredConsent ? unknown : ConsentGiven | undefined }
}

const knownInConsent = { version: 1, document_url: 1, accepted: 1, accepted_at: 1 } satisfies Known<ConsentGiven>
const knownInRecord = { ip_address: 1, user_agent: 1, collected_at: 1, entries: 1 } satisfies Known<ConsentRecord>

/** Consents with the record of how they were collected; good for either interpretation of the specification. */
export interface CompleteConsents extends Consents {
  metadata: ConsentMetadata
}

/**
 * The consents of a lead, complete as the law requires them on record: the version and the document that the
 * customer agreed to, when and from where. For what an auditor would question, see `lintConsents`.
 * @throws ValidationError the service would refuse them: a required consent is missing or was not accepted, the address
 * is no IPv4 address, a version is empty, a time cannot be read. Its `issues` name fields as `validateLead` does.
 * @throws ConfigError a field of the record is unknown.
 * @example
 * ```ts
 * import { createConsents } from '@lead-distribution/publisher-sdk'
 *
 * const accepted = { version: '2026-01', document_url: 'https://publisher.example/terms/2026-01' }
 * const consents = createConsents({
 *   ip_address: '203.0.113.7', // the customer's
 *   entries: { terms: accepted, privacy_policy: accepted, marketing: { ...accepted, accepted: false } },
 * })
 * ```
 */ // Spec 2.9
export function createConsents<Type extends string>(record: ConsentRecord<Type>): CompleteConsents {
  checkOptions('`createConsents`', record, knownInRecord)
  const { ip_address, user_agent, collected_at = new Date(), entries } = record
  const given = Object.entries(entries ?? {}).filter(([, consent]) => consent !== undefined) as [
    string,
    Partial<ConsentGiven> | null,
  ][]
  const consents: CompleteConsents = {
    entries: given.map(([type, consent]) => {
      checkOptions('`createConsents`', consent, knownInConsent, `entries.${type}.`)
      const { version, document_url = null, accepted = isRequired(type) || undefined, accepted_at } = consent ?? {}
      const at = accepted === false ? null : textOf(accepted_at ?? collected_at)
      // Missing fields are found below, by the check of the service.
      return { type, accepted, accepted_at: at, version, document_url } as CompleteConsents['entries'][number]
    }),
    metadata: {
      ip_address: typeof ip_address === 'string' ? ip_address.replace(/^::ffff:/i, '') : ip_address,
      ...(user_agent === undefined ? {} : { user_agent }),
      collected_at: textOf(collected_at),
    },
  }
  const missing = requiredConsents
    .filter(type => !consents.entries.some(entry => entry.type === type && entry.accepted !== false))
    .map(type => ({ field: 'consents.entries', issue: `must have an accepted \`${type}\`` }))
  checkPart({ consents }, missing)
  return consents
}

function isRequired(type: string): boolean {
  return (requiredConsents as readonly string[]).includes(type)
}

/** A date that cannot be written becomes a text that is no time, and so an issue instead of a RangeError. */
function textOf(moment: Moment): string {
  return moment instanceof Date ? (Number.isNaN(moment.getTime()) ? '' : moment.toISOString()) : moment
}
