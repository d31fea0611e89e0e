import type { TokenFormat } from '@lead-distribution/contract'

/** What a target may read an open point as. Durations are ISO 8601. */
export interface InterpretationOf {
  /** Whether the customer's gender is required. */
  gender: 'optional' | 'required'
  /** Whether the metadata of the consents is required. */
  consent_metadata: 'optional' | 'required'
  /** How declined consents and an unknown product are refused. */
  semantic_refusals: 'http_422' | 'rejected_200'
  /** The methods by which a status is reported. */
  status_methods: readonly ('POST' | 'PATCH')[]
  /** The names that a status may have. */
  status_vocabulary: 'known' | 'any'
  /** The list that a callback takes the name of an event from. */
  callback_event_names: 'usage' | 'enum' | 'as_reported'
  /** How a field of a reply is written that does not apply: left out, or null. */
  absent_fields: 'omit' | 'null'
  /** `PT0S`: there is none. `>= PT3S`: it was not over when the patience was. `PT0.2S..PT0.5S`: somewhere within. */
  duplicate_window: string
  /** The waits that were seen; more of them may come. */
  callback_retries: readonly string[]
  /** `>= PT3S`: it was not over when the patience was. */
  callback_timeout: string
  /** How the token of a postback URL is made. */
  token_format: TokenFormat
  /** How the update of another advertiser's lead is answered. */
  other_advertiser: `http_${number}`
  /** How many advertisers get a lead. */
  distribution: 'first_accept' | 'all_accepting'
  /** What authenticates a callback. */
  callback_signature: 'none' | 'standard_webhooks'
  /** Whether two spellings of an e-mail address that differ in letter case are one customer. */
  email_letter_case: 'ignored' | 'kept_apart'
  /** Whether a HEAD of the pixel, such as a link preview sends, reports the event. */
  pixel_head: 'records' | 'records_nothing'
  /** The largest request body that is read, bytes. `262144..524288`: somewhere within. `>= 4194304`: at least. */
  body_limit: string
}

/** An open point: one with a switch has its name, our fixed choices have their own. */
export type Point = keyof InterpretationOf

/** How a target reads an open point. */
export interface Finding<P extends Point = Point> {
  /** The open point. */
  readonly point: P
  /** Undefined where it could not be found out. */
  readonly interpretation: InterpretationOf[P] | undefined
  /** How we know, or what would let us know: a whole sentence. */
  readonly known_by: string
}
