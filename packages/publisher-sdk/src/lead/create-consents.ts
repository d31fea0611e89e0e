import { type ConsentEntry, type ConsentMetadata, type Consents, requiredConsents } from '@lead-distribution/contract'
import { assertConfig } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import { checkPart } from './validate-lead.ts'

/** A consent that the service requires. @inline */ // Spec 2.9, 8
type RequiredConsent = (typeof requiredConsents)[number]

/** The document shown to the customer, and the customer's decision. @inline */
type ConsentGiven = {
  /** Version label of the document shown. */
  version: string
  /** URL of exactly the document version that was shown; `null` if there is none, which auditors will question. */
  document_url: string | null
  /** True if the customer accepted, otherwise false. Pass the form's value, never a constant. */
  accepted: boolean
  /**
   * When the customer accepted: a `Date`, or an RFC 3339 string with a zone. Default: `collected_at`. Sent as `null` if
   * the customer did not accept.
   */
  accepted_at?: Date | string | undefined
}

/**
 * The options of {@link createConsents}.
 * @category Leads
 */
export interface ConsentRecord<Type extends string = never> {
  /**
   * IPv4 address of the customer, not of a proxy. Node's form `::ffff:203.0.113.7` works too. The service accepts no
   * IPv6 address: serve the form over IPv4.
   */ // Spec 2.9
  ip_address: string
  /** The customer's user agent. */
  user_agent?: string | undefined
  /** When the consents were collected: a `Date`, or an RFC 3339 string with a zone. Default: now. */
  collected_at?: Date | string | undefined
  /**
   * The consents by type: `terms` and `privacy_policy`, and others such as `marketing`. `undefined` means that the
   * consent was not requested.
   */
  entries: { [Each in RequiredConsent]: ConsentGiven } & {
    [Each in Type]?: Each extends RequiredConsent ? unknown : ConsentGiven | undefined
  }
}

const knownInConsent = { version: 1, document_url: 1, accepted: 1, accepted_at: 1 } satisfies Known<ConsentGiven>
const knownInRecord = { ip_address: 1, user_agent: 1, collected_at: 1, entries: 1 } satisfies Known<ConsentRecord>

/**
 * Creates a lead's consents as the law requires them on record: the version and document that the customer accepted,
 * when, and from where.
 * @throws ValidationError the service would refuse them: a required consent is missing or was not accepted, the address
 * is not an IPv4 address, a version is empty, or a time is invalid. Its `issues` name fields as `validateLead` does.
 * @throws ConfigError a field is unknown, or a consent's `accepted` is neither true nor false.
 * @example
 * ```ts
 * import { createConsents } from '@lead-distribution/publisher-sdk'
 *
 * const shown = { version: '2026-01', document_url: 'https://publisher.example/terms/2026-01' }
 * const consents = createConsents({
 *   ip_address: '203.0.113.7', // the customer's
 *   entries: {
 *     terms: { ...shown, accepted: form.terms },
 *     privacy_policy: { ...shown, accepted: form.privacy },
 *     marketing: { ...shown, accepted: form.marketing },
 *   },
 * })
 * ```
 * @category Leads
 */ // Spec 2.9
export function createConsents<Type extends string>(
  record: ConsentRecord<Type>,
): Consents & { metadata: ConsentMetadata } {
  checkOptions('`createConsents`', record, knownInRecord)
  const { ip_address, user_agent, collected_at = new Date(), entries } = record
  const given = Object.entries(entries ?? {}).filter(([, consent]) => consent !== undefined) as [
    string,
    Partial<ConsentGiven> | null,
  ][]
  const consents: Consents & { metadata: ConsentMetadata } = {
    entries: given.map(([type, consent]) => {
      checkOptions('`createConsents`', consent, knownInConsent, `entries.${type}.`)
      const { version, document_url = null, accepted, accepted_at } = consent ?? {}
      assertConfig(
        typeof accepted === 'boolean',
        `\`entries.${type}.accepted\` must be true or false: \`createConsents\` assumes no consent.`,
      )
      const at = accepted ? textOf(accepted_at ?? collected_at) : null
      // The check below finds missing fields.
      return { type, accepted, accepted_at: at, version, document_url } as ConsentEntry
    }),
    metadata: {
      ip_address: typeof ip_address === 'string' ? ip_address.replace(/^::ffff:/i, '') : ip_address,
      ...(user_agent === undefined ? {} : { user_agent }),
      collected_at: textOf(collected_at),
    },
  }
  const missing = requiredConsents
    .filter(type => !consents.entries.some(entry => entry.type === type && entry.accepted))
    .map(type => ({ field: 'consents.entries', issue: `must have an accepted \`${type}\`` }))
  checkPart({ consents }, missing)
  return consents
}

/** Converts a time to text. An invalid date becomes an empty string, and so an issue instead of a RangeError. */
function textOf(moment: Date | string): string {
  return moment instanceof Date ? (Number.isNaN(moment.getTime()) ? '' : moment.toISOString()) : moment
}
